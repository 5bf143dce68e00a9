// SPDX-License-Identifier: BSD-2-Clause
// The register slave with a short timeout, under its assertions.
module axil_bench (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] awaddr,
  input  logic        awvalid,
  output logic        awready,
  input  logic [31:0] wdata,
  input  logic [3:0]  wstrb,
  input  logic        wvalid,
  output logic        wready,
  output logic [1:0]  bresp,
  output logic        bvalid,
  input  logic        bready,
  input  logic [15:0] araddr,
  input  logic        arvalid,
  output logic        arready,
  output logic [31:0] rdata,
  output logic [1:0]  rresp,
  output logic        rvalid,
  input  logic        rready,
  output logic [48:0] req_data,
  output logic        req_valid,
  input  logic        req_ready,
  input  logic [31:0] rsp_data,
  input  logic        rsp_valid,
  output logic        rsp_ready
);
  mr_axil_slave #(.TIMEOUT(100)) u_axil (
    .clk_i, .rst_ni,
    .s_axil_awaddr_i(awaddr), .s_axil_awvalid_i(awvalid), .s_axil_awready_o(awready),
    .s_axil_wdata_i(wdata), .s_axil_wstrb_i(wstrb), .s_axil_wvalid_i(wvalid),
    .s_axil_wready_o(wready), .s_axil_bresp_o(bresp), .s_axil_bvalid_o(bvalid),
    .s_axil_bready_i(bready), .s_axil_araddr_i(araddr), .s_axil_arvalid_i(arvalid),
    .s_axil_arready_o(arready), .s_axil_rdata_o(rdata), .s_axil_rresp_o(rresp),
    .s_axil_rvalid_o(rvalid), .s_axil_rready_i(rready),
    .req_data_o(req_data), .req_valid_o(req_valid), .req_ready_i(req_ready),
    .rsp_data_i(rsp_data), .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready));
  axil_assert u_assert (.*);
endmodule
