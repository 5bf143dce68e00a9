// SPDX-License-Identifier: BSD-2-Clause
// AXI-Stream from the MAC to a mac_beat stream (ext.h). The MAC cannot be made
// to wait: TREADY is always high. A frame is let in only when a largest frame
// has room; otherwise all of it is dropped and counted. A frame longer than
// FRAME_BEATS is cut there and marked bad, its rest is thrown away.
module mr_axis_rx #(
  parameter integer DEPTH       = 512,   // beats, from 2 * FRAME_BEATS
  parameter integer FRAME_BEATS = 72     // largest frame: 4608 bytes
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [511:0] s_axis_tdata_i,
  input  logic [63:0]  s_axis_tkeep_i,
  input  logic         s_axis_tlast_i,
  input  logic         s_axis_tuser_i,   // with TLAST: the frame is bad
  input  logic         s_axis_tvalid_i,
  output logic         s_axis_tready_o,
  output logic [520:0] beat_data_o,      // data 511:0, n 518:512, last 519, err 520
  output logic         beat_valid_o,
  input  logic         beat_ready_i,
  output logic [31:0]  drops_o           // frames dropped for want of room; wraps
);
  localparam integer FW = $clog2(DEPTH + 1);
  localparam integer BW = $clog2(FRAME_BEATS + 1);

  logic [FW-1:0] free_q;
  logic [BW-1:0] seen_q;     // beats of the frame so far
  logic          inside_q;   // the next beat is not the first of a frame
  logic          skip_q;     // the rest of this frame is thrown away
  logic          bad_q;      // an earlier beat of the frame had holes
  logic [31:0]   drops_q;
  logic          room, accept, cut, push, pop, last, ready;

  // Two registers in front: TKEEP is counted between them.
  logic [511:0]  in_tdata_q, tdata_q;
  logic [63:0]   tkeep_q;
  logic          in_tlast_q, in_tuser_q, in_tvalid_q;
  logic [6:0]    ones, n_q;
  logic          hole, hole_q, tlast_q, tuser_q, tvalid_q;

  // Bytes are contiguous from byte 0, all 64 before the last beat, never none:
  // then TKEEP falls at most once, and n is where.
  always_comb begin
    ones = tkeep_q[63] ? 7'd64 : 7'd0;
    for (int i = 0; i < 63; i++) if (tkeep_q[i] && !tkeep_q[i+1]) ones = ones | 7'(i + 1);
  end
  assign hole = (tkeep_q[63:1] & ~tkeep_q[62:0]) != '0 || !tkeep_q[0] ||
                (!in_tlast_q && !tkeep_q[63]);

  always_ff @(posedge clk_i) begin
    in_tdata_q <= s_axis_tdata_i;
    tkeep_q    <= s_axis_tkeep_i;
    in_tlast_q <= s_axis_tlast_i;
    in_tuser_q <= s_axis_tuser_i;
    tdata_q    <= in_tdata_q;
    n_q        <= ones;
    hole_q     <= hole;
    tlast_q    <= in_tlast_q;
    tuser_q    <= in_tuser_q;
  end

  assign s_axis_tready_o = rst_ni;
  assign room   = free_q >= FW'(FRAME_BEATS);
  assign accept = inside_q ? !skip_q : room;
  assign cut    = inside_q && (seen_q == BW'(FRAME_BEATS - 1)) && !tlast_q;
  assign push   = tvalid_q && accept;
  assign pop    = beat_valid_o && beat_ready_i;
  assign last   = tlast_q || cut;

  mr_fifo #(.W(521), .DEPTH(DEPTH)) u_buf (
    .clk_i, .rst_ni,
    .in_data_i ({last && (tuser_q || cut || bad_q || hole_q), last, hole_q ? 7'd64 : n_q, tdata_q}),
    .in_valid_i(push), .in_ready_o(ready),
    .out_data_o(beat_data_o), .out_valid_o(beat_valid_o), .out_ready_i(beat_ready_i)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q      <= FW'(DEPTH);
      seen_q      <= '0;
      inside_q    <= 1'b0;
      skip_q      <= 1'b0;
      bad_q       <= 1'b0;
      drops_q     <= '0;
      in_tvalid_q <= 1'b0;
      tvalid_q    <= 1'b0;
    end else begin
      in_tvalid_q <= s_axis_tvalid_i;
      tvalid_q    <= in_tvalid_q;
      free_q      <= free_q - FW'(push) + FW'(pop);
      if (tvalid_q) begin
        inside_q <= !tlast_q;
        seen_q   <= tlast_q ? '0 : (skip_q ? seen_q : seen_q + 1'b1);
        skip_q   <= !tlast_q && (!accept || cut);
        bad_q    <= !tlast_q && (bad_q || hole_q);
        if (!inside_q && !room) drops_q <= drops_q + 32'd1;
      end
    end
  end

  assign drops_o = drops_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && push) assert (ready) else $error("mr_axis_rx: the buffer overflows");
  end
`endif
endmodule
