// SPDX-License-Identifier: BSD-2-Clause
// Round-robin choice among N requests. The one granted last comes last.
module mr_rr_arb #(
  parameter integer N = 2   // from 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [N-1:0]         req_i,
  input  logic                 take_i,    // the grant is used in this cycle
  output logic [N-1:0]         grant_o,   // one-hot, zero without a request
  output logic [$clog2(N)-1:0] index_o
);
  localparam integer IW = $clog2(N);

  logic [IW-1:0] last_q;
  logic [N-1:0]  above;   // requests behind the one granted last
  logic [N-1:0]  pool;

  always_comb begin
    for (int i = 0; i < N; i++) above[i] = req_i[i] && (IW'(i) > last_q);
    pool    = (above != '0) ? above : req_i;
    grant_o = pool & (~pool + 1'b1);
    index_o = '0;
    for (int i = 0; i < N; i++) if (grant_o[i]) index_o = IW'(i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) last_q <= '0;
    else if (take_i && (req_i != '0)) last_q <= index_o;
  end
endmodule
