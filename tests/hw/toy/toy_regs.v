// SPDX-License-Identifier: BSD-2-Clause
// toy_regs.c by hand, with the ports that hlsc gives a kernel.
/* verilator lint_off UNUSEDPARAM */
module toy_regs #(parameter integer TRACE_ID = 0) (
  input  wire clk_i,
  input  wire rst_ni,
  input  wire [48:0] req_data_i,
  input  wire req_valid_i,
  output wire req_ready_o,
  output wire [31:0] rsp_data_o,
  output wire rsp_valid_o,
  input  wire rsp_ready_i,
  output wire [79:0] cmd_data_o,
  output wire cmd_valid_o,
  input  wire cmd_ready_i,
  input  wire [31:0] copies_i,
  input  wire [15:0] frames_i,
  input  wire [31:0] now_i,
  input  wire [31:0] drops_i
);
  reg [31:0] r [0:7];
  wire rsp_room, cmd_room;
  wire fire = req_valid_i && rsp_room && cmd_room;
  wire write = req_data_i[0];
  wire [15:0] addr = req_data_i[16:1];
  wire [31:0] value = addr == 16'h24 ? copies_i : addr == 16'h28 ? {16'd0, frames_i} :
                      addr == 16'h2c ? now_i : addr == 16'h30 ? drops_i :
                      addr < 16'h20 ? r[addr[4:2]] : 32'd0;
  assign req_ready_o = fire;

  mr_fifo #(.W(32), .DEPTH(2)) u_rsp (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_data_i(write ? 32'd0 : value), .in_valid_i(fire), .in_ready_o(rsp_room),
    .out_data_o(rsp_data_o), .out_valid_o(rsp_valid_o), .out_ready_i(rsp_ready_i));
  mr_fifo #(.W(80), .DEPTH(2)) u_cmd (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_data_i({r[2][15:0], r[1], r[0]}), .in_valid_i(fire && write && addr == 16'h20),
    .in_ready_o(cmd_room),
    .out_data_o(cmd_data_o), .out_valid_o(cmd_valid_o), .out_ready_i(cmd_ready_i));

  integer i;
  initial for (i = 0; i < 8; i = i + 1) r[i] = 0;
  always @(posedge clk_i)
    if (rst_ni && fire && write && addr < 16'h20) r[addr[4:2]] <= req_data_i[48:17];
endmodule
/* verilator lint_on UNUSEDPARAM */
