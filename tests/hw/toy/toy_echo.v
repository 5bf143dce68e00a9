// SPDX-License-Identifier: BSD-2-Clause
// toy_echo.c by hand, with the ports that hlsc gives a kernel.
/* verilator lint_off UNUSEDPARAM */
module toy_echo #(parameter integer TRACE_ID = 0) (
  input  wire clk_i,
  input  wire rst_ni,
  input  wire [520:0] rx_data_i,
  input  wire rx_valid_i,
  output wire rx_ready_o,
  output wire [520:0] tx_data_o,
  output wire tx_valid_o,
  input  wire tx_ready_i,
  output wire [15:0] frames_o
);
  wire room;
  assign rx_ready_o = rx_valid_i && room;
  mr_fifo #(.W(521), .DEPTH(2)) u_tx (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_data_i({rx_data_i[520:512], ~rx_data_i[511:0]}), .in_valid_i(rx_ready_o), .in_ready_o(room),
    .out_data_o(tx_data_o), .out_valid_o(tx_valid_o), .out_ready_i(tx_ready_i));

  reg [15:0] frames_q;
  assign frames_o = frames_q;
  always @(posedge clk_i)
    if (!rst_ni) frames_q <= 0;
    else if (rx_ready_o && rx_data_i[519]) frames_q <= frames_q + 1;
endmodule
/* verilator lint_on UNUSEDPARAM */
