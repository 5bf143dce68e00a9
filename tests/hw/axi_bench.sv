// SPDX-License-Identifier: BSD-2-Clause
// Both AXI masters with their streams apart, under the protocol assertions.
module axi_bench (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [63:0]  rd_addr [0:1],
  input  logic [15:0]  rd_len [0:1],
  input  logic         rd_valid [0:1],
  output logic         rd_ready [0:1],
  output logic [511:0] rb_data [0:1],
  output logic         rb_last [0:1],
  output logic         rb_err [0:1],
  output logic         rb_valid [0:1],
  input  logic         rb_ready [0:1],
  input  logic [63:0]  wr_addr [0:1],
  input  logic [15:0]  wr_len [0:1],
  input  logic         wr_valid [0:1],
  output logic         wr_ready [0:1],
  input  logic [511:0] wb_data [0:1],
  input  logic [63:0]  wb_keep [0:1],
  input  logic         wb_last [0:1],
  input  logic         wb_valid [0:1],
  output logic         wb_ready [0:1],
  output logic         wd_err [0:1],
  output logic         wd_valid [0:1],
  input  logic         wd_ready [0:1],
  output logic [1:0]   m_axi_arid,
  output logic [63:0]  m_axi_araddr,
  output logic [7:0]   m_axi_arlen,
  output logic         m_axi_arvalid,
  input  logic         m_axi_arready,
  input  logic [1:0]   m_axi_rid,
  input  logic [511:0] m_axi_rdata,
  input  logic [1:0]   m_axi_rresp,
  input  logic         m_axi_rlast,
  input  logic         m_axi_rvalid,
  output logic         m_axi_rready,
  output logic [1:0]   m_axi_awid,
  output logic [63:0]  m_axi_awaddr,
  output logic [7:0]   m_axi_awlen,
  output logic         m_axi_awvalid,
  input  logic         m_axi_awready,
  output logic [511:0] m_axi_wdata,
  output logic [63:0]  m_axi_wstrb,
  output logic         m_axi_wlast,
  output logic         m_axi_wvalid,
  input  logic         m_axi_wready,
  input  logic [1:0]   m_axi_bid,
  input  logic [1:0]   m_axi_bresp,
  input  logic         m_axi_bvalid,
  output logic         m_axi_bready
);
  logic [2:0] arsize, awsize;
  logic [1:0] arburst, awburst;
  logic [1:0] wdone;
  logic [513:0] rbeat [0:1];
  genvar i;
  generate
    for (i = 0; i < 2; i++) begin : g
      assign {rb_err[i], rb_last[i], rb_data[i]} = rbeat[i];
      assign wd_err[i] = wdone[i];
    end
  endgenerate

  mr_axi_rd u_rd (
    .clk_i, .rst_ni,
    .req_data_i({rd_len[1], rd_addr[1], rd_len[0], rd_addr[0]}),
    .req_valid_i({rd_valid[1], rd_valid[0]}), .req_ready_o({rd_ready[1], rd_ready[0]}),
    .beat_data_o({rbeat[1], rbeat[0]}),
    .beat_valid_o({rb_valid[1], rb_valid[0]}), .beat_ready_i({rb_ready[1], rb_ready[0]}),
    .m_axi_arid_o(m_axi_arid), .m_axi_araddr_o(m_axi_araddr), .m_axi_arlen_o(m_axi_arlen),
    .m_axi_arsize_o(arsize), .m_axi_arburst_o(arburst), .m_axi_arvalid_o(m_axi_arvalid),
    .m_axi_arready_i(m_axi_arready), .m_axi_rid_i(m_axi_rid), .m_axi_rdata_i(m_axi_rdata),
    .m_axi_rresp_i(m_axi_rresp), .m_axi_rlast_i(m_axi_rlast), .m_axi_rvalid_i(m_axi_rvalid),
    .m_axi_rready_o(m_axi_rready));

  mr_axi_wr u_wr (
    .clk_i, .rst_ni,
    .req_data_i({wr_len[1], wr_addr[1], wr_len[0], wr_addr[0]}),
    .req_valid_i({wr_valid[1], wr_valid[0]}), .req_ready_o({wr_ready[1], wr_ready[0]}),
    .beat_data_i({wb_last[1], wb_keep[1], wb_data[1], wb_last[0], wb_keep[0], wb_data[0]}),
    .beat_valid_i({wb_valid[1], wb_valid[0]}), .beat_ready_o({wb_ready[1], wb_ready[0]}),
    .done_data_o(wdone),
    .done_valid_o({wd_valid[1], wd_valid[0]}), .done_ready_i({wd_ready[1], wd_ready[0]}),
    .m_axi_awid_o(m_axi_awid), .m_axi_awaddr_o(m_axi_awaddr), .m_axi_awlen_o(m_axi_awlen),
    .m_axi_awsize_o(awsize), .m_axi_awburst_o(awburst), .m_axi_awvalid_o(m_axi_awvalid),
    .m_axi_awready_i(m_axi_awready), .m_axi_wdata_o(m_axi_wdata), .m_axi_wstrb_o(m_axi_wstrb),
    .m_axi_wlast_o(m_axi_wlast), .m_axi_wvalid_o(m_axi_wvalid), .m_axi_wready_i(m_axi_wready),
    .m_axi_bid_i(m_axi_bid), .m_axi_bresp_i(m_axi_bresp), .m_axi_bvalid_i(m_axi_bvalid),
    .m_axi_bready_o(m_axi_bready));

  axi4_assert u_assert (
    .clk_i, .rst_ni,
    .arid(m_axi_arid), .araddr(m_axi_araddr), .arlen(m_axi_arlen), .arsize(arsize),
    .arburst(arburst), .arvalid(m_axi_arvalid), .arready(m_axi_arready), .rid(m_axi_rid),
    .rdata(m_axi_rdata), .rresp(m_axi_rresp), .rlast(m_axi_rlast), .rvalid(m_axi_rvalid),
    .rready(m_axi_rready), .awid(m_axi_awid), .awaddr(m_axi_awaddr), .awlen(m_axi_awlen),
    .awsize(awsize), .awburst(awburst), .awvalid(m_axi_awvalid), .awready(m_axi_awready),
    .wdata(m_axi_wdata), .wstrb(m_axi_wstrb), .wlast(m_axi_wlast), .wvalid(m_axi_wvalid),
    .wready(m_axi_wready), .bid(m_axi_bid), .bresp(m_axi_bresp), .bvalid(m_axi_bvalid),
    .bready(m_axi_bready));
endmodule
