// SPDX-License-Identifier: BSD-2-Clause
// Splits a request for 1 to 4096 bytes (ext.h: struct rd_req, struct wr_req)
// into AXI bursts of whole 64-byte lines. Bursts end at multiples of MAX_BEATS
// lines, so none crosses 4 KiB. One burst a cycle.
module mr_axi_split #(
  parameter integer MAX_BEATS = 16   // a power of two, 2 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [79:0] req_data_i,      // addr 63:0, len 79:64
  input  logic        req_valid_i,
  output logic        req_ready_o,
  output logic [57:0] burst_line_o,    // byte address / 64
  output logic [6:0]  burst_beats_o,   // 1 to MAX_BEATS
  output logic        burst_last_o,    // last burst of its request
  output logic        burst_valid_o,
  input  logic        burst_ready_i
);
  localparam integer OW = $clog2(MAX_BEATS);

  // Request in work: next line and lines left, 1 to 65.
  logic        busy_q;
  logic [57:0] line_q;
  logic [6:0]  left_q;

  // Burst on offer.
  logic [57:0] burst_line_q;
  logic [6:0]  burst_beats_q;
  logic        burst_last_q, burst_valid_q;

  logic [12:0] end_off;   // last byte, counted from the first line's start
  logic [6:0]  cap;       // lines up to the next multiple of MAX_BEATS
  logic        step, last, unused;

  assign end_off = {7'b0, req_data_i[5:0]} + req_data_i[76:64] - 13'd1;
  assign unused  = &{1'b0, end_off[5:0]};
  assign cap     = 7'(MAX_BEATS) - 7'(line_q[OW-1:0]);
  assign last    = left_q <= cap;
  assign step    = busy_q && (!burst_valid_q || burst_ready_i);

  assign req_ready_o   = !busy_q || (step && last);
  assign burst_line_o  = burst_line_q;
  assign burst_beats_o = burst_beats_q;
  assign burst_last_o  = burst_last_q;
  assign burst_valid_o = burst_valid_q;

  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      line_q <= req_data_i[63:6];
      left_q <= end_off[12:6] + 7'd1;
    end else if (step) begin
      line_q <= {line_q[57:OW] + 1'b1, {OW{1'b0}}};
      left_q <= left_q - cap;
    end
    if (step) begin
      burst_line_q  <= line_q;
      burst_beats_q <= last ? left_q : cap;
      burst_last_q  <= last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q        <= 1'b0;
      burst_valid_q <= 1'b0;
    end else begin
      if (req_ready_o) busy_q <= req_valid_i;
      if (step) burst_valid_q <= 1'b1;
      else if (burst_ready_i) burst_valid_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  // The contract of ext.h; a kernel that breaks it is at fault.
  always_ff @(posedge clk_i) begin
    if (rst_ni && req_valid_i) begin
      assert (req_data_i[79:64] != 16'd0 && req_data_i[79:64] <= 16'd4096)
        else $error("mr_axi_split: length %0d is outside 1 to 4096", req_data_i[79:64]);
    end
  end
`endif
endmodule
