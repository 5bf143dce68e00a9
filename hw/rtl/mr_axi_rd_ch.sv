// SPDX-License-Identifier: BSD-2-Clause
// One channel of mr_axi_rd: splits requests, grants itself room for the answer
// before it asks, and buffers the beats. Its R side never has to wait.
module mr_axi_rd_ch #(
  parameter integer MAX_BEATS   = 16,
  parameter integer OUTSTANDING = 32,   // bursts asked for and not yet answered, from 2
  parameter integer BEATS       = 512   // beats of buffer, from MAX_BEATS
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [79:0]  req_data_i,     // ext.h: struct rd_req
  input  logic         req_valid_i,
  output logic         req_ready_o,
  output logic [513:0] beat_data_o,    // ext.h: struct rd_beat
  output logic         beat_valid_o,
  input  logic         beat_ready_i,
  output logic [57:0]  burst_line_o,
  output logic [6:0]   burst_beats_o,
  output logic         burst_valid_o,  // room for the answer is set aside
  input  logic         burst_ready_i,
  input  logic [511:0] r_data_i,
  input  logic         r_err_i,
  input  logic         r_last_i,
  input  logic         r_valid_i
);
  localparam integer FW = $clog2(BEATS + 1);
  localparam integer OW = $clog2(OUTSTANDING);
  localparam integer NW = $clog2(OUTSTANDING + 1);

  logic          split_valid, split_last;
  logic [57:0]   split_line, burst_line_q;
  logic [6:0]    split_beats, burst_beats_q;
  logic          burst_valid_q;
  logic          issue, answered, pop;
  logic [FW-1:0] free_q, grant;
  logic [NW-1:0] open_q;
  // Per burst in flight: is it the last of its request? Read in the order asked.
  logic [OUTSTANDING-1:0] last_q;
  logic [OW-1:0] wptr_q, rptr_q;
  logic          err_q;   // an earlier beat of this request failed
  logic          beat_last, beat_err;

  mr_axi_split #(.MAX_BEATS(MAX_BEATS)) u_split (
    .clk_i, .rst_ni,
    .req_data_i, .req_valid_i, .req_ready_o,
    .burst_line_o (split_line),
    .burst_beats_o(split_beats),
    .burst_last_o (split_last),
    .burst_valid_o(split_valid),
    .burst_ready_i(issue)
  );

  // A burst that has its room waits in a register: the arbiter comes behind it.
  assign issue = split_valid && (free_q >= FW'(split_beats)) && (open_q != NW'(OUTSTANDING)) &&
                 (!burst_valid_q || burst_ready_i);
  assign answered  = r_valid_i && r_last_i;
  assign pop       = beat_valid_o && beat_ready_i;
  assign grant     = issue ? FW'(split_beats) : '0;
  assign beat_last = r_last_i && last_q[rptr_q];
  assign beat_err  = beat_last && (err_q || r_err_i);

  always_ff @(posedge clk_i) begin
    if (issue) begin
      burst_line_q  <= split_line;
      burst_beats_q <= split_beats;
    end
    if (!rst_ni) burst_valid_q <= 1'b0;
    else if (issue) burst_valid_q <= 1'b1;
    else if (burst_ready_i) burst_valid_q <= 1'b0;
  end

  assign burst_line_o  = burst_line_q;
  assign burst_beats_o = burst_beats_q;
  assign burst_valid_o = burst_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q <= FW'(BEATS);
      open_q <= '0;
      wptr_q <= '0;
      rptr_q <= '0;
      err_q  <= 1'b0;
      last_q <= '0;
    end else begin
      free_q <= free_q - grant + FW'(pop);
      open_q <= open_q + NW'(issue) - NW'(answered);
      if (issue) begin
        last_q[wptr_q] <= split_last;
        wptr_q <= (wptr_q == OW'(OUTSTANDING - 1)) ? '0 : wptr_q + 1'b1;
      end
      if (answered) rptr_q <= (rptr_q == OW'(OUTSTANDING - 1)) ? '0 : rptr_q + 1'b1;
      if (r_valid_i) err_q <= !beat_last && (err_q || r_err_i);
    end
  end

  logic fifo_ready;
  mr_fifo #(.W(514), .DEPTH(BEATS)) u_beats (
    .clk_i, .rst_ni,
    .in_data_i ({beat_err, beat_last, r_data_i}),
    .in_valid_i(r_valid_i),
    .in_ready_o(fifo_ready),
    .out_data_o(beat_data_o), .out_valid_o(beat_valid_o), .out_ready_i(beat_ready_i)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && r_valid_i) begin
      assert (fifo_ready && open_q != '0)
        else $error("mr_axi_rd_ch: a beat arrived that was not asked for");
    end
  end
`endif
endmodule
