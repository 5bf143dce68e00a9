// SPDX-License-Identifier: BSD-2-Clause
// FIFO with valid/ready on both sides. Holds DEPTH items in memory and one in
// the output register; in to out takes two cycles. The memory is read through
// the output register only, so it maps to LUT RAM or block RAM.
module mr_fifo #(
  parameter integer W     = 8,
  parameter integer DEPTH = 2   // from 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [W-1:0] in_data_i,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  output logic [W-1:0] out_data_o,
  output logic         out_valid_o,
  input  logic         out_ready_i
);
  localparam integer AW = $clog2(DEPTH);
  localparam integer CW = $clog2(DEPTH + 1);
  localparam logic [AW-1:0] LAST = AW'(DEPTH - 1);

  logic [W-1:0]  mem [0:DEPTH-1];
  logic [AW-1:0] wptr_q, rptr_q;
  logic [CW-1:0] count_q;   // items in mem
  logic [W-1:0]  out_q;
  logic          out_valid_q;
  logic          push, load;

  assign in_ready_o  = count_q != CW'(DEPTH);
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_q;
  assign push = in_valid_i && in_ready_o;
  assign load = (count_q != '0) && (!out_valid_q || out_ready_i);

  always_ff @(posedge clk_i) begin
    if (push) mem[wptr_q] <= in_data_i;
    if (load) out_q <= mem[rptr_q];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wptr_q      <= '0;
      rptr_q      <= '0;
      count_q     <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (push) wptr_q <= (wptr_q == LAST) ? '0 : wptr_q + 1'b1;
      if (load) rptr_q <= (rptr_q == LAST) ? '0 : rptr_q + 1'b1;
      if (push && !load) count_q <= count_q + 1'b1;
      if (!push && load) count_q <= count_q - 1'b1;
      if (load) out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end
  end
endmodule
