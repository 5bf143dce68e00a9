// SPDX-License-Identifier: BSD-2-Clause
// AXI4 read master: N independent channels of rd_req and rd_beat streams
// (ext.h), ARID = channel. Answers are in order within a channel; a channel
// whose beats are not taken does not hold up another.
module mr_axi_rd #(
  parameter integer N           = 2,    // channels, 2 to 4
  parameter integer MAX_BEATS   = 16,
  parameter integer OUTSTANDING = 32,   // bursts in flight per channel
  parameter integer BEATS       = 512   // beats of buffer per channel
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [N*80-1:0]  req_data_i,
  input  logic [N-1:0]     req_valid_i,
  output logic [N-1:0]     req_ready_o,
  output logic [N*514-1:0] beat_data_o,
  output logic [N-1:0]     beat_valid_o,
  input  logic [N-1:0]     beat_ready_i,
  output logic [1:0]       m_axi_arid_o,
  output logic [63:0]      m_axi_araddr_o,
  output logic [7:0]       m_axi_arlen_o,
  output logic [2:0]       m_axi_arsize_o,
  output logic [1:0]       m_axi_arburst_o,
  output logic             m_axi_arvalid_o,
  input  logic             m_axi_arready_i,
  input  logic [1:0]       m_axi_rid_i,
  input  logic [511:0]     m_axi_rdata_i,
  input  logic [1:0]       m_axi_rresp_i,
  input  logic             m_axi_rlast_i,
  input  logic             m_axi_rvalid_i,
  output logic             m_axi_rready_o
);
  logic [N*58-1:0] line;
  logic [N*7-1:0]  beats;
  logic [N-1:0]    want, grant;
  logic [$clog2(N)-1:0] sel;
  logic            take;
  logic [1:0]      arid_q;
  logic [57:0]     arline_q;
  logic [6:0]      arbeats_q;
  logic            arvalid_q;

  genvar c;
  generate
    for (c = 0; c < N; c++) begin : g_ch
      mr_axi_rd_ch #(.MAX_BEATS(MAX_BEATS), .OUTSTANDING(OUTSTANDING), .BEATS(BEATS)) u_ch (
        .clk_i, .rst_ni,
        .req_data_i   (req_data_i[c*80 +: 80]),
        .req_valid_i  (req_valid_i[c]),
        .req_ready_o  (req_ready_o[c]),
        .beat_data_o  (beat_data_o[c*514 +: 514]),
        .beat_valid_o (beat_valid_o[c]),
        .beat_ready_i (beat_ready_i[c]),
        .burst_line_o (line[c*58 +: 58]),
        .burst_beats_o(beats[c*7 +: 7]),
        .burst_valid_o(want[c]),
        .burst_ready_i(take && grant[c]),
        .r_data_i     (m_axi_rdata_i),
        .r_err_i      (m_axi_rresp_i[1]),
        .r_last_i     (m_axi_rlast_i),
        .r_valid_i    (m_axi_rvalid_i && m_axi_rready_o && (m_axi_rid_i == 2'(c)))
      );
    end
  endgenerate

  mr_rr_arb #(.N(N)) u_arb (
    .clk_i, .rst_ni, .req_i(want), .take_i(take), .grant_o(grant), .index_o(sel)
  );

  assign take = !arvalid_q || m_axi_arready_i;

  always_ff @(posedge clk_i) begin
    if (take) begin
      arid_q    <= 2'(sel);
      arline_q  <= line[32'(sel)*58 +: 58];
      arbeats_q <= beats[32'(sel)*7 +: 7];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) arvalid_q <= 1'b0;
    else if (take) arvalid_q <= want != '0;
  end

  // Room for every beat was granted with its burst.
  assign m_axi_rready_o  = rst_ni;
  assign m_axi_arid_o    = arid_q;
  assign m_axi_araddr_o  = {arline_q, 6'b0};
  assign m_axi_arlen_o   = {1'b0, arbeats_q - 7'd1};
  assign m_axi_arsize_o  = 3'd6;
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_arvalid_o = arvalid_q;

  // RRESP: only its upper bit tells failure from success.
  logic unused;
  assign unused = &{1'b0, m_axi_rresp_i[0]};
endmodule
