// SPDX-License-Identifier: BSD-2-Clause
// One valid/ready channel: an offer stands unchanged until it is taken, and
// nothing is offered in reset (after GRACE cycles in which the design enters it).
module stable_assert #(
  parameter integer W     = 1,
  parameter integer GRACE = 4,
  parameter string  NAME  = ""
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [W-1:0] data_i,
  input logic         valid_i,
  input logic         ready_i
);
  logic [W-1:0] data_q;
  logic         wait_q = 1'b0;
  integer       low_q = 0;   // cycles of reset so far

  always @(posedge clk_i) begin
    wait_q <= rst_ni && valid_i && !ready_i;
    data_q <= data_i;
    low_q  <= rst_ni ? 0 : low_q + 1;
    if (!rst_ni && low_q >= GRACE)
      assert (!valid_i) else $fatal(1, "%s: valid in reset", NAME);
    if (rst_ni && wait_q) begin
      assert (valid_i) else $fatal(1, "%s: valid withdrawn before ready", NAME);
      assert (data_i == data_q) else $fatal(1, "%s: payload changed before ready", NAME);
    end
  end
endmodule
