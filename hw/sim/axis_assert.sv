// SPDX-License-Identifier: BSD-2-Clause
// One AXI-Stream of frames: whole beats except the last, bytes without holes,
// TUSER only at the end of a frame.
module axis_assert #(
  parameter string NAME = ""
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [511:0] tdata,
  input logic [63:0]  tkeep,
  input logic         tlast,
  input logic         tuser,
  input logic         tvalid,
  input logic         tready
);
  stable_assert #(.W(578), .NAME(NAME)) u_stable (
    .clk_i, .rst_ni, .data_i({tdata, tkeep, tlast, tuser}), .valid_i(tvalid), .ready_i(tready)
  );

  always @(posedge clk_i) begin
    if (rst_ni && tvalid) begin
      assert (tlast || tkeep == '1) else $fatal(1, "%s: TKEEP not full before TLAST", NAME);
      assert (tkeep != '0) else $fatal(1, "%s: TKEEP is empty", NAME);
      assert ((tkeep & (tkeep + 64'd1)) == '0) else $fatal(1, "%s: TKEEP has holes", NAME);
      assert (tlast || !tuser) else $fatal(1, "%s: TUSER without TLAST", NAME);
    end
  end
endmodule
