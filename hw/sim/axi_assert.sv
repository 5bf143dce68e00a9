// SPDX-License-Identifier: BSD-2-Clause
// Protocol assertions on every pin of mr_nic. A violation ends the simulation
// with a text and the simulated time. Build with verilator --assert.
module axi_assert (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [15:0]  s_axil_awaddr,
  input  logic         s_axil_awvalid,
  input  logic         s_axil_awready,
  input  logic [31:0]  s_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  input  logic         s_axil_wvalid,
  input  logic         s_axil_wready,
  input  logic [1:0]   s_axil_bresp,
  input  logic         s_axil_bvalid,
  input  logic         s_axil_bready,
  input  logic [15:0]  s_axil_araddr,
  input  logic         s_axil_arvalid,
  input  logic         s_axil_arready,
  input  logic [31:0]  s_axil_rdata,
  input  logic [1:0]   s_axil_rresp,
  input  logic         s_axil_rvalid,
  input  logic         s_axil_rready,
  input  logic [1:0]   m_axi_arid,
  input  logic [63:0]  m_axi_araddr,
  input  logic [7:0]   m_axi_arlen,
  input  logic [2:0]   m_axi_arsize,
  input  logic [1:0]   m_axi_arburst,
  input  logic         m_axi_arvalid,
  input  logic         m_axi_arready,
  input  logic [1:0]   m_axi_rid,
  input  logic [511:0] m_axi_rdata,
  input  logic [1:0]   m_axi_rresp,
  input  logic         m_axi_rlast,
  input  logic         m_axi_rvalid,
  input  logic         m_axi_rready,
  input  logic [1:0]   m_axi_awid,
  input  logic [63:0]  m_axi_awaddr,
  input  logic [7:0]   m_axi_awlen,
  input  logic [2:0]   m_axi_awsize,
  input  logic [1:0]   m_axi_awburst,
  input  logic         m_axi_awvalid,
  input  logic         m_axi_awready,
  input  logic [511:0] m_axi_wdata,
  input  logic [63:0]  m_axi_wstrb,
  input  logic         m_axi_wlast,
  input  logic         m_axi_wvalid,
  input  logic         m_axi_wready,
  input  logic [1:0]   m_axi_bid,
  input  logic [1:0]   m_axi_bresp,
  input  logic         m_axi_bvalid,
  input  logic         m_axi_bready,
  input  logic [511:0] m_axis_tdata,
  input  logic [63:0]  m_axis_tkeep,
  input  logic         m_axis_tlast,
  input  logic         m_axis_tuser,
  input  logic         m_axis_tvalid,
  input  logic         m_axis_tready,
  input  logic [511:0] s_axis_tdata,
  input  logic [63:0]  s_axis_tkeep,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tuser,
  input  logic         s_axis_tvalid,
  input  logic         s_axis_tready
);
  axil_assert u_axil (
    .clk_i, .rst_ni,
    .awaddr(s_axil_awaddr), .awvalid(s_axil_awvalid), .awready(s_axil_awready),
    .wdata(s_axil_wdata), .wstrb(s_axil_wstrb), .wvalid(s_axil_wvalid),
    .wready(s_axil_wready), .bresp(s_axil_bresp), .bvalid(s_axil_bvalid),
    .bready(s_axil_bready), .araddr(s_axil_araddr), .arvalid(s_axil_arvalid),
    .arready(s_axil_arready), .rdata(s_axil_rdata), .rresp(s_axil_rresp),
    .rvalid(s_axil_rvalid), .rready(s_axil_rready)
  );
  axi4_assert u_axi (
    .clk_i, .rst_ni,
    .arid(m_axi_arid), .araddr(m_axi_araddr), .arlen(m_axi_arlen), .arsize(m_axi_arsize),
    .arburst(m_axi_arburst), .arvalid(m_axi_arvalid), .arready(m_axi_arready),
    .rid(m_axi_rid), .rdata(m_axi_rdata), .rresp(m_axi_rresp), .rlast(m_axi_rlast),
    .rvalid(m_axi_rvalid), .rready(m_axi_rready), .awid(m_axi_awid), .awaddr(m_axi_awaddr),
    .awlen(m_axi_awlen), .awsize(m_axi_awsize), .awburst(m_axi_awburst),
    .awvalid(m_axi_awvalid), .awready(m_axi_awready), .wdata(m_axi_wdata),
    .wstrb(m_axi_wstrb), .wlast(m_axi_wlast), .wvalid(m_axi_wvalid), .wready(m_axi_wready),
    .bid(m_axi_bid), .bresp(m_axi_bresp), .bvalid(m_axi_bvalid), .bready(m_axi_bready)
  );
  axis_assert #(.NAME("m_axis")) u_tx (
    .clk_i, .rst_ni,
    .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tlast(m_axis_tlast), .tuser(m_axis_tuser),
    .tvalid(m_axis_tvalid), .tready(m_axis_tready)
  );
  axis_assert #(.NAME("s_axis")) u_rx (
    .clk_i, .rst_ni,
    .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tlast(s_axis_tlast), .tuser(s_axis_tuser),
    .tvalid(s_axis_tvalid), .tready(s_axis_tready)
  );
endmodule
