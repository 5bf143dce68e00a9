// SPDX-License-Identifier: BSD-2-Clause
// One channel of mr_axi_wr: splits requests, holds back a burst until all its
// beats are here, and answers each request once all its bursts are.
module mr_axi_wr_ch #(
  parameter integer MAX_BEATS   = 16,
  parameter integer OUTSTANDING = 32,   // bursts in flight and answers not yet taken, from 2
  parameter integer BEATS       = 64    // beats of buffer, from MAX_BEATS
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [79:0]  req_data_i,     // ext.h: struct wr_req
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [576:0] beat_data_i,    // ext.h: struct wr_beat
  input  logic         beat_valid_i,
  output logic         beat_ready_o,
  output logic         done_data_o,    // ext.h: struct wr_done
  output logic         done_valid_o,
  input  logic         done_ready_i,
  output logic [57:0]  burst_line_o,
  output logic [6:0]   burst_beats_o,
  output logic         burst_last_o,
  output logic         burst_valid_o,  // its beats are in the buffer
  input  logic         burst_ready_i,
  output logic [576:0] w_data_o,
  output logic         w_valid_o,
  input  logic         w_ready_i,
  input  logic         b_err_i,
  input  logic         b_valid_i
);
  localparam integer AW = $clog2(BEATS + 2);   // BEATS and mr_fifo's output register
  localparam integer OW = $clog2(OUTSTANDING);
  localparam integer NW = $clog2(OUTSTANDING + 1);

  logic          split_valid, split_last;
  logic [57:0]   split_line, burst_line_q;
  logic [6:0]    split_beats, burst_beats_q;
  logic          burst_last_q, burst_valid_q;
  logic          issue, push;
  logic [AW-1:0] here_q, spent;   // beats in the buffer that no burst has claimed
  logic [NW-1:0] open_q;
  logic [OUTSTANDING-1:0] last_q;
  logic [OW-1:0] wptr_q, rptr_q;
  logic          err_q;
  logic          b_last, done_ready, done_pop;

  mr_axi_split #(.MAX_BEATS(MAX_BEATS)) u_split (
    .clk_i, .rst_ni,
    .req_data_i, .req_valid_i, .req_ready_o,
    .burst_line_o (split_line),
    .burst_beats_o(split_beats),
    .burst_last_o (split_last),
    .burst_valid_o(split_valid),
    .burst_ready_i(issue)
  );

  mr_fifo #(.W(577), .DEPTH(BEATS)) u_beats (
    .clk_i, .rst_ni,
    .in_data_i (beat_data_i), .in_valid_i(beat_valid_i), .in_ready_o(beat_ready_o),
    .out_data_o(w_data_o), .out_valid_o(w_valid_o), .out_ready_i(w_ready_i)
  );

  // A burst that has its beats waits in a register: the arbiter comes behind it.
  assign issue = split_valid && (here_q >= AW'(split_beats)) && (open_q != NW'(OUTSTANDING)) &&
                 (!burst_valid_q || burst_ready_i);
  assign push     = beat_valid_i && beat_ready_o;
  assign spent    = issue ? AW'(split_beats) : '0;
  assign b_last   = b_valid_i && last_q[rptr_q];
  assign done_pop = done_valid_o && done_ready_i;

  always_ff @(posedge clk_i) begin
    if (issue) begin
      burst_line_q  <= split_line;
      burst_beats_q <= split_beats;
      burst_last_q  <= split_last;
    end
    if (!rst_ni) burst_valid_q <= 1'b0;
    else if (issue) burst_valid_q <= 1'b1;
    else if (burst_ready_i) burst_valid_q <= 1'b0;
  end

  assign burst_line_o  = burst_line_q;
  assign burst_beats_o = burst_beats_q;
  assign burst_last_o  = burst_last_q;
  assign burst_valid_o = burst_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      here_q <= '0;
      open_q <= '0;
      wptr_q <= '0;
      rptr_q <= '0;
      err_q  <= 1'b0;
      last_q <= '0;
    end else begin
      here_q <= here_q + AW'(push) - spent;
      // The last burst of a request keeps its place until the answer is taken.
      open_q <= open_q + NW'(issue) - NW'(b_valid_i && !b_last) - NW'(done_pop);
      if (issue) begin
        last_q[wptr_q] <= split_last;
        wptr_q <= (wptr_q == OW'(OUTSTANDING - 1)) ? '0 : wptr_q + 1'b1;
      end
      if (b_valid_i) begin
        rptr_q <= (rptr_q == OW'(OUTSTANDING - 1)) ? '0 : rptr_q + 1'b1;
        err_q  <= !b_last && (err_q || b_err_i);
      end
    end
  end

  mr_fifo #(.W(1), .DEPTH(OUTSTANDING)) u_done (
    .clk_i, .rst_ni,
    .in_data_i (err_q || b_err_i), .in_valid_i(b_last), .in_ready_o(done_ready),
    .out_data_o(done_data_o), .out_valid_o(done_valid_o), .out_ready_i(done_ready_i)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && b_valid_i) begin
      assert (done_ready && open_q != '0)
        else $error("mr_axi_wr_ch: a response arrived that was not asked for");
    end
  end
`endif
endmodule
