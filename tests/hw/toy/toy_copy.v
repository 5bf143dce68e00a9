// SPDX-License-Identifier: BSD-2-Clause
// toy_copy.c by hand, with the ports that hlsc gives a kernel.
/* verilator lint_off UNUSEDPARAM */
module toy_copy #(parameter integer TRACE_ID = 0) (
  input  wire clk_i,
  input  wire rst_ni,
  input  wire [79:0] cmd_data_i,
  input  wire cmd_valid_i,
  output wire cmd_ready_o,
  output wire [79:0] rd_data_o,
  output wire rd_valid_o,
  input  wire rd_ready_i,
  input  wire [513:0] rdb_data_i,
  input  wire rdb_valid_i,
  output wire rdb_ready_o,
  output wire [79:0] wr_data_o,
  output wire wr_valid_o,
  input  wire wr_ready_i,
  output wire [576:0] wrb_data_o,
  output wire wrb_valid_o,
  input  wire wrb_ready_i,
  input  wire done_data_i,
  input  wire done_valid_i,
  output wire done_ready_o,
  output wire [31:0] copies_o
);
  wire rd_room, wr_room, wrb_room;
  wire go = cmd_valid_i && rd_room && wr_room;
  assign cmd_ready_o = go;
  assign rdb_ready_o = rdb_valid_i && wrb_room;
  assign done_ready_o = done_valid_i;

  mr_fifo #(.W(80), .DEPTH(2)) u_rd (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_data_i({cmd_data_i[79:64], 32'd0, cmd_data_i[31:0]}), .in_valid_i(go), .in_ready_o(rd_room),
    .out_data_o(rd_data_o), .out_valid_o(rd_valid_o), .out_ready_i(rd_ready_i));
  mr_fifo #(.W(80), .DEPTH(2)) u_wr (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_data_i({cmd_data_i[79:64], 32'd0, cmd_data_i[63:32]}), .in_valid_i(go), .in_ready_o(wr_room),
    .out_data_o(wr_data_o), .out_valid_o(wr_valid_o), .out_ready_i(wr_ready_i));
  mr_fifo #(.W(577), .DEPTH(2)) u_wrb (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_data_i({rdb_data_i[512], {64{1'b1}}, rdb_data_i[511:0]}), .in_valid_i(rdb_ready_o),
    .in_ready_o(wrb_room),
    .out_data_o(wrb_data_o), .out_valid_o(wrb_valid_o), .out_ready_i(wrb_ready_i));

  reg [31:0] copies_q;
  assign copies_o = copies_q;
  always @(posedge clk_i)
    if (!rst_ni) copies_q <= 0;
    else if (done_valid_i) copies_q <= copies_q + 1;
  wire unused = &{1'b0, rdb_data_i[513], done_data_i};
endmodule
/* verilator lint_on UNUSEDPARAM */
