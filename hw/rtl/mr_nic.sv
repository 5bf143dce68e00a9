// SPDX-License-Identifier: BSD-2-Clause
// The NIC behind its pins: the core printed from the process graph, the bus
// adapters around it, the device clock. Pin names carry no _i or _o, so that
// tools recognise the bus interfaces.
module mr_nic #(
  parameter integer TRACE_BASE = 0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [15:0]  s_axil_awaddr,
  input  logic         s_axil_awvalid,
  output logic         s_axil_awready,
  input  logic [31:0]  s_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  input  logic         s_axil_wvalid,
  output logic         s_axil_wready,
  output logic [1:0]   s_axil_bresp,
  output logic         s_axil_bvalid,
  input  logic         s_axil_bready,
  input  logic [15:0]  s_axil_araddr,
  input  logic         s_axil_arvalid,
  output logic         s_axil_arready,
  output logic [31:0]  s_axil_rdata,
  output logic [1:0]   s_axil_rresp,
  output logic         s_axil_rvalid,
  input  logic         s_axil_rready,
  output logic [1:0]   m_axi_arid,
  output logic [63:0]  m_axi_araddr,
  output logic [7:0]   m_axi_arlen,
  output logic [2:0]   m_axi_arsize,
  output logic [1:0]   m_axi_arburst,
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
  output logic [2:0]   m_axi_awsize,
  output logic [1:0]   m_axi_awburst,
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
  output logic         m_axi_bready,
  output logic [511:0] m_axis_tdata,
  output logic [63:0]  m_axis_tkeep,
  output logic         m_axis_tlast,
  output logic         m_axis_tuser,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready,
  input  logic [511:0] s_axis_tdata,
  input  logic [63:0]  s_axis_tkeep,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tuser,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,
  output logic         irq    // high for a cycle: an event is in host memory
);
  logic rst_n;
  mr_reset_sync u_reset (.clk_i, .rst_ni, .rst_no(rst_n));

  // Device clock, cycles since reset.
  logic [63:0] now_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) now_q <= '0;
    else        now_q <= now_q + 64'd1;
  end

  // Streams of ext.h, named by their edge.
  logic [48:0] reg_req_data;
  logic reg_req_valid, reg_req_ready;
  logic [31:0] reg_rsp_data;
  logic reg_rsp_valid, reg_rsp_ready;
  logic [520:0] mac_rx_data;
  logic mac_rx_valid, mac_rx_ready;
  logic [520:0] mac_tx_data;
  logic mac_tx_valid, mac_tx_ready;
  logic [79:0] wqe_rd_req_data;
  logic wqe_rd_req_valid, wqe_rd_req_ready;
  logic [513:0] wqe_rd_beat_data;
  logic wqe_rd_beat_valid, wqe_rd_beat_ready;
  logic [79:0] pay_rd_req_data;
  logic pay_rd_req_valid, pay_rd_req_ready;
  logic [513:0] pay_rd_beat_data;
  logic pay_rd_beat_valid, pay_rd_beat_ready;
  logic [79:0] pay_wr_req_data;
  logic pay_wr_req_valid, pay_wr_req_ready;
  logic [576:0] pay_wr_beat_data;
  logic pay_wr_beat_valid, pay_wr_beat_ready;
  logic pay_wr_done_data;
  logic pay_wr_done_valid, pay_wr_done_ready;
  logic [79:0] cqe_wr_req_data;
  logic cqe_wr_req_valid, cqe_wr_req_ready;
  logic [576:0] cqe_wr_beat_data;
  logic cqe_wr_beat_valid, cqe_wr_beat_ready;
  logic cqe_wr_done_data;
  logic cqe_wr_done_valid, cqe_wr_done_ready;
  logic irq_data, irq_valid;
  logic [31:0] mac_rx_drops;

  mr_core #(.TRACE_BASE(TRACE_BASE)) u_core (
    .clk_i, .rst_ni(rst_n),
    .now_i(now_q), .mac_rx_drops_i(mac_rx_drops),
    .reg_req_data_i(reg_req_data), .reg_req_valid_i(reg_req_valid), .reg_req_ready_o(reg_req_ready),
    .reg_rsp_data_o(reg_rsp_data), .reg_rsp_valid_o(reg_rsp_valid), .reg_rsp_ready_i(reg_rsp_ready),
    .mac_rx_data_i(mac_rx_data), .mac_rx_valid_i(mac_rx_valid), .mac_rx_ready_o(mac_rx_ready),
    .mac_tx_data_o(mac_tx_data), .mac_tx_valid_o(mac_tx_valid), .mac_tx_ready_i(mac_tx_ready),
    .wqe_rd_req_data_o(wqe_rd_req_data), .wqe_rd_req_valid_o(wqe_rd_req_valid), .wqe_rd_req_ready_i(wqe_rd_req_ready),
    .wqe_rd_beat_data_i(wqe_rd_beat_data), .wqe_rd_beat_valid_i(wqe_rd_beat_valid), .wqe_rd_beat_ready_o(wqe_rd_beat_ready),
    .pay_rd_req_data_o(pay_rd_req_data), .pay_rd_req_valid_o(pay_rd_req_valid), .pay_rd_req_ready_i(pay_rd_req_ready),
    .pay_rd_beat_data_i(pay_rd_beat_data), .pay_rd_beat_valid_i(pay_rd_beat_valid), .pay_rd_beat_ready_o(pay_rd_beat_ready),
    .pay_wr_req_data_o(pay_wr_req_data), .pay_wr_req_valid_o(pay_wr_req_valid), .pay_wr_req_ready_i(pay_wr_req_ready),
    .pay_wr_beat_data_o(pay_wr_beat_data), .pay_wr_beat_valid_o(pay_wr_beat_valid), .pay_wr_beat_ready_i(pay_wr_beat_ready),
    .pay_wr_done_data_i(pay_wr_done_data), .pay_wr_done_valid_i(pay_wr_done_valid), .pay_wr_done_ready_o(pay_wr_done_ready),
    .cqe_wr_req_data_o(cqe_wr_req_data), .cqe_wr_req_valid_o(cqe_wr_req_valid), .cqe_wr_req_ready_i(cqe_wr_req_ready),
    .cqe_wr_beat_data_o(cqe_wr_beat_data), .cqe_wr_beat_valid_o(cqe_wr_beat_valid), .cqe_wr_beat_ready_i(cqe_wr_beat_ready),
    .cqe_wr_done_data_i(cqe_wr_done_data), .cqe_wr_done_valid_i(cqe_wr_done_valid), .cqe_wr_done_ready_o(cqe_wr_done_ready),
    .irq_data_o(irq_data), .irq_valid_o(irq_valid), .irq_ready_i(1'b1)
  );
  assign irq = irq_valid & irq_data;

  mr_axil_slave u_axil (
    .clk_i, .rst_ni(rst_n),
    .s_axil_awaddr_i(s_axil_awaddr),
    .s_axil_awvalid_i(s_axil_awvalid),
    .s_axil_awready_o(s_axil_awready),
    .s_axil_wdata_i(s_axil_wdata),
    .s_axil_wstrb_i(s_axil_wstrb),
    .s_axil_wvalid_i(s_axil_wvalid),
    .s_axil_wready_o(s_axil_wready),
    .s_axil_bresp_o(s_axil_bresp),
    .s_axil_bvalid_o(s_axil_bvalid),
    .s_axil_bready_i(s_axil_bready),
    .s_axil_araddr_i(s_axil_araddr),
    .s_axil_arvalid_i(s_axil_arvalid),
    .s_axil_arready_o(s_axil_arready),
    .s_axil_rdata_o(s_axil_rdata),
    .s_axil_rresp_o(s_axil_rresp),
    .s_axil_rvalid_o(s_axil_rvalid),
    .s_axil_rready_i(s_axil_rready),
    .req_data_o(reg_req_data), .req_valid_o(reg_req_valid), .req_ready_i(reg_req_ready),
    .rsp_data_i(reg_rsp_data), .rsp_valid_i(reg_rsp_valid), .rsp_ready_o(reg_rsp_ready)
  );

  // Channel 0: queue entries, 1: payload.
  mr_axi_rd u_rd (
    .clk_i, .rst_ni(rst_n),
    .req_data_i({pay_rd_req_data, wqe_rd_req_data}),
    .req_valid_i({pay_rd_req_valid, wqe_rd_req_valid}),
    .req_ready_o({pay_rd_req_ready, wqe_rd_req_ready}),
    .beat_data_o({pay_rd_beat_data, wqe_rd_beat_data}),
    .beat_valid_o({pay_rd_beat_valid, wqe_rd_beat_valid}),
    .beat_ready_i({pay_rd_beat_ready, wqe_rd_beat_ready}),
    .m_axi_arid_o(m_axi_arid),
    .m_axi_araddr_o(m_axi_araddr),
    .m_axi_arlen_o(m_axi_arlen),
    .m_axi_arsize_o(m_axi_arsize),
    .m_axi_arburst_o(m_axi_arburst),
    .m_axi_arvalid_o(m_axi_arvalid),
    .m_axi_arready_i(m_axi_arready),
    .m_axi_rid_i(m_axi_rid),
    .m_axi_rdata_i(m_axi_rdata),
    .m_axi_rresp_i(m_axi_rresp),
    .m_axi_rlast_i(m_axi_rlast),
    .m_axi_rvalid_i(m_axi_rvalid),
    .m_axi_rready_o(m_axi_rready)
  );

  // Channel 0: payload, 1: completions.
  mr_axi_wr u_wr (
    .clk_i, .rst_ni(rst_n),
    .req_data_i({cqe_wr_req_data, pay_wr_req_data}),
    .req_valid_i({cqe_wr_req_valid, pay_wr_req_valid}),
    .req_ready_o({cqe_wr_req_ready, pay_wr_req_ready}),
    .beat_data_i({cqe_wr_beat_data, pay_wr_beat_data}),
    .beat_valid_i({cqe_wr_beat_valid, pay_wr_beat_valid}),
    .beat_ready_o({cqe_wr_beat_ready, pay_wr_beat_ready}),
    .done_data_o({cqe_wr_done_data, pay_wr_done_data}),
    .done_valid_o({cqe_wr_done_valid, pay_wr_done_valid}),
    .done_ready_i({cqe_wr_done_ready, pay_wr_done_ready}),
    .m_axi_awid_o(m_axi_awid),
    .m_axi_awaddr_o(m_axi_awaddr),
    .m_axi_awlen_o(m_axi_awlen),
    .m_axi_awsize_o(m_axi_awsize),
    .m_axi_awburst_o(m_axi_awburst),
    .m_axi_awvalid_o(m_axi_awvalid),
    .m_axi_awready_i(m_axi_awready),
    .m_axi_wdata_o(m_axi_wdata),
    .m_axi_wstrb_o(m_axi_wstrb),
    .m_axi_wlast_o(m_axi_wlast),
    .m_axi_wvalid_o(m_axi_wvalid),
    .m_axi_wready_i(m_axi_wready),
    .m_axi_bid_i(m_axi_bid),
    .m_axi_bresp_i(m_axi_bresp),
    .m_axi_bvalid_i(m_axi_bvalid),
    .m_axi_bready_o(m_axi_bready)
  );

  mr_axis_tx u_tx (
    .clk_i, .rst_ni(rst_n),
    .beat_data_i(mac_tx_data), .beat_valid_i(mac_tx_valid), .beat_ready_o(mac_tx_ready),
    .m_axis_tdata_o(m_axis_tdata),
    .m_axis_tkeep_o(m_axis_tkeep),
    .m_axis_tlast_o(m_axis_tlast),
    .m_axis_tuser_o(m_axis_tuser),
    .m_axis_tvalid_o(m_axis_tvalid),
    .m_axis_tready_i(m_axis_tready)
  );

  mr_axis_rx u_rx (
    .clk_i, .rst_ni(rst_n),
    .s_axis_tdata_i(s_axis_tdata),
    .s_axis_tkeep_i(s_axis_tkeep),
    .s_axis_tlast_i(s_axis_tlast),
    .s_axis_tuser_i(s_axis_tuser),
    .s_axis_tvalid_i(s_axis_tvalid),
    .s_axis_tready_o(s_axis_tready),
    .beat_data_o(mac_rx_data), .beat_valid_o(mac_rx_valid), .beat_ready_i(mac_rx_ready),
    .drops_o(mac_rx_drops)
  );
endmodule
