// SPDX-License-Identifier: BSD-2-Clause
// AXI4-Lite: offers stand still, and every answer has its access.
module axil_assert (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [15:0] awaddr,
  input logic        awvalid,
  input logic        awready,
  input logic [31:0] wdata,
  input logic [3:0]  wstrb,
  input logic        wvalid,
  input logic        wready,
  input logic [1:0]  bresp,
  input logic        bvalid,
  input logic        bready,
  input logic [15:0] araddr,
  input logic        arvalid,
  input logic        arready,
  input logic [31:0] rdata,
  input logic [1:0]  rresp,
  input logic        rvalid,
  input logic        rready
);
  stable_assert #(.W(16), .NAME("s_axil AW")) u_aw (
    .clk_i, .rst_ni, .data_i(awaddr), .valid_i(awvalid), .ready_i(awready));
  stable_assert #(.W(36), .NAME("s_axil W")) u_w (
    .clk_i, .rst_ni, .data_i({wdata, wstrb}), .valid_i(wvalid), .ready_i(wready));
  stable_assert #(.W(2), .NAME("s_axil B")) u_b (
    .clk_i, .rst_ni, .data_i(bresp), .valid_i(bvalid), .ready_i(bready));
  stable_assert #(.W(16), .NAME("s_axil AR")) u_ar (
    .clk_i, .rst_ni, .data_i(araddr), .valid_i(arvalid), .ready_i(arready));
  stable_assert #(.W(34), .NAME("s_axil R")) u_r (
    .clk_i, .rst_ni, .data_i({rdata, rresp}), .valid_i(rvalid), .ready_i(rready));

  // Accesses taken and not yet answered.
  integer aw_q = 0, w_q = 0, ar_q = 0;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_q <= 0;
      w_q  <= 0;
      ar_q <= 0;
    end else begin
      aw_q <= aw_q + 32'(awvalid && awready) - 32'(bvalid && bready);
      w_q  <= w_q + 32'(wvalid && wready) - 32'(bvalid && bready);
      ar_q <= ar_q + 32'(arvalid && arready) - 32'(rvalid && rready);
      assert (!bvalid || (aw_q > 0 && w_q > 0)) else $fatal(1, "s_axil B: no write asked for it");
      assert (!rvalid || ar_q > 0) else $fatal(1, "s_axil R: no read asked for it");
    end
  end
endmodule
