// SPDX-License-Identifier: BSD-2-Clause
// AXI4 write master: N independent channels of wr_req, wr_beat and wr_done
// streams (ext.h), AWID = channel. Answers are in order within a channel. A
// burst is announced when all its beats are buffered, so a channel that is
// short of data does not hold up another. W beats follow in the order of AW;
// they do not wait for AWREADY, as AXI demands.
module mr_axi_wr #(
  parameter integer N           = 2,    // channels, 2 to 4
  parameter integer MAX_BEATS   = 16,
  parameter integer OUTSTANDING = 32,   // bursts in flight per channel
  parameter integer BEATS       = 64    // beats of buffer per channel
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [N*80-1:0]  req_data_i,
  input  logic [N-1:0]     req_valid_i,
  output logic [N-1:0]     req_ready_o,
  input  logic [N*577-1:0] beat_data_i,
  input  logic [N-1:0]     beat_valid_i,
  output logic [N-1:0]     beat_ready_o,
  output logic [N-1:0]     done_data_o,
  output logic [N-1:0]     done_valid_o,
  input  logic [N-1:0]     done_ready_i,
  output logic [1:0]       m_axi_awid_o,
  output logic [63:0]      m_axi_awaddr_o,
  output logic [7:0]       m_axi_awlen_o,
  output logic [2:0]       m_axi_awsize_o,
  output logic [1:0]       m_axi_awburst_o,
  output logic             m_axi_awvalid_o,
  input  logic             m_axi_awready_i,
  output logic [511:0]     m_axi_wdata_o,
  output logic [63:0]      m_axi_wstrb_o,
  output logic             m_axi_wlast_o,
  output logic             m_axi_wvalid_o,
  input  logic             m_axi_wready_i,
  input  logic [1:0]       m_axi_bid_i,
  input  logic [1:0]       m_axi_bresp_i,
  input  logic             m_axi_bvalid_i,
  output logic             m_axi_bready_o
);
  localparam integer SW = $clog2(N);

  logic [N*58-1:0]  line;
  logic [N*7-1:0]   beats;
  logic [N-1:0]     want, grant, lasts;
  logic [SW-1:0]    sel;
  logic             take, order_ready;
  logic [1:0]       awid_q;
  logic [57:0]      awline_q;
  logic [6:0]       awbeats_q;
  logic             awvalid_q;
  logic [N*577-1:0] w_data;
  logic [N-1:0]     w_valid;

  // The burst whose beats are next on W.
  logic [SW-1:0]    ord_ch;
  logic [6:0]       ord_beats, sent_q;
  logic             ord_last, ord_valid, w_take, w_last;
  logic [576:0]     w_q;      // keep and data; the top bit is the kernel's last
  logic             wlast_q, wvalid_q;

  genvar c;
  generate
    for (c = 0; c < N; c++) begin : g_ch
      mr_axi_wr_ch #(.MAX_BEATS(MAX_BEATS), .OUTSTANDING(OUTSTANDING), .BEATS(BEATS)) u_ch (
        .clk_i, .rst_ni,
        .req_data_i   (req_data_i[c*80 +: 80]),
        .req_valid_i  (req_valid_i[c]),
        .req_ready_o  (req_ready_o[c]),
        .beat_data_i  (beat_data_i[c*577 +: 577]),
        .beat_valid_i (beat_valid_i[c]),
        .beat_ready_o (beat_ready_o[c]),
        .done_data_o  (done_data_o[c]),
        .done_valid_o (done_valid_o[c]),
        .done_ready_i (done_ready_i[c]),
        .burst_line_o (line[c*58 +: 58]),
        .burst_beats_o(beats[c*7 +: 7]),
        .burst_last_o (lasts[c]),
        .burst_valid_o(want[c]),
        .burst_ready_i(take && grant[c]),
        .w_data_o     (w_data[c*577 +: 577]),
        .w_valid_o    (w_valid[c]),
        .w_ready_i    (w_take && (ord_ch == SW'(c))),
        .b_err_i      (m_axi_bresp_i[1]),
        .b_valid_i    (m_axi_bvalid_i && m_axi_bready_o && (m_axi_bid_i == 2'(c)))
      );
    end
  endgenerate

  mr_rr_arb #(.N(N)) u_arb (
    .clk_i, .rst_ni, .req_i(want), .take_i(take), .grant_o(grant), .index_o(sel)
  );

  assign take = order_ready && (!awvalid_q || m_axi_awready_i);

  always_ff @(posedge clk_i) begin
    if (take) begin
      awid_q    <= 2'(sel);
      awline_q  <= line[32'(sel)*58 +: 58];
      awbeats_q <= beats[32'(sel)*7 +: 7];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) awvalid_q <= 1'b0;
    else if (take) awvalid_q <= want != '0;
    else if (m_axi_awready_i) awvalid_q <= 1'b0;
  end

  mr_fifo #(.W(SW + 8), .DEPTH(16)) u_order (
    .clk_i, .rst_ni,
    .in_data_i ({lasts[sel], beats[32'(sel)*7 +: 7], sel}),
    .in_valid_i(take && (want != '0)),
    .in_ready_o(order_ready),
    .out_data_o({ord_last, ord_beats, ord_ch}),
    .out_valid_o(ord_valid),
    .out_ready_i(w_take && w_last)
  );

  assign w_take = ord_valid && w_valid[ord_ch] && (!wvalid_q || m_axi_wready_i);
  assign w_last = sent_q + 7'd1 == ord_beats;

  always_ff @(posedge clk_i) begin
    if (w_take) begin
      w_q     <= w_data[32'(ord_ch)*577 +: 577];
      wlast_q <= w_last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q   <= '0;
      wvalid_q <= 1'b0;
    end else begin
      if (w_take) sent_q <= w_last ? '0 : sent_q + 1'b1;
      if (w_take) wvalid_q <= 1'b1;
      else if (m_axi_wready_i) wvalid_q <= 1'b0;
    end
  end

  assign m_axi_awid_o    = awid_q;
  assign m_axi_awaddr_o  = {awline_q, 6'b0};
  assign m_axi_awlen_o   = {1'b0, awbeats_q - 7'd1};
  assign m_axi_awsize_o  = 3'd6;
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_awvalid_o = awvalid_q;
  assign m_axi_wdata_o   = w_q[511:0];
  assign m_axi_wstrb_o   = w_q[575:512];
  assign m_axi_wlast_o   = wlast_q;
  assign m_axi_wvalid_o  = wvalid_q;
  // A place for every answer was granted with its burst.
  assign m_axi_bready_o  = rst_ni;

`ifndef SYNTHESIS
  // A kernel that sends more or fewer beats than its request covers is at fault.
  always_ff @(posedge clk_i) begin
    if (rst_ni && w_take) begin
      assert (w_data[32'(ord_ch)*577 + 576] == (w_last && ord_last))
        else $error("mr_axi_wr: channel %0d: last beat and length disagree", ord_ch);
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, m_axi_bresp_i[0], w_q[576]};
endmodule
