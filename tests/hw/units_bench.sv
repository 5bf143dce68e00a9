// SPDX-License-Identifier: BSD-2-Clause
// FIFOs of several depths and the arbiter.
module units_bench (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] in_data  [0:2],
  input  logic        in_valid [0:2],
  output logic        in_ready [0:2],
  output logic [15:0] out_data  [0:2],
  output logic        out_valid [0:2],
  input  logic        out_ready [0:2],
  input  logic [3:0]  req,
  input  logic        take,
  output logic [3:0]  grant,
  output logic [1:0]  index
);
  genvar i;
  generate
    for (i = 0; i < 3; i++) begin : g
      mr_fifo #(.W(16), .DEPTH(i == 0 ? 2 : i == 1 ? 5 : 16)) u_fifo (
        .clk_i, .rst_ni,
        .in_data_i(in_data[i]), .in_valid_i(in_valid[i]), .in_ready_o(in_ready[i]),
        .out_data_o(out_data[i]), .out_valid_o(out_valid[i]), .out_ready_i(out_ready[i]));
    end
  endgenerate
  mr_rr_arb #(.N(4)) u_arb (
    .clk_i, .rst_ni, .req_i(req), .take_i(take), .grant_o(grant), .index_o(index));
endmodule
