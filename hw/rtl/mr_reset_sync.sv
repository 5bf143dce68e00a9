// SPDX-License-Identifier: BSD-2-Clause
// Reset enters within two edges and leaves on an edge, three after the pin. The
// initial values put an FPGA into reset from its configuration on.
module mr_reset_sync (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);
  (* ASYNC_REG = "TRUE" *) logic [1:0] sync_q = 2'b00;
  logic rst_q = 1'b0;   // a flip-flop of its own: it fans out to the whole design

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sync_q <= 2'b00;
    else         sync_q <= {sync_q[0], 1'b1};
  end

  always_ff @(posedge clk_i) rst_q <= sync_q[1];

  assign rst_no = rst_q;
endmodule
