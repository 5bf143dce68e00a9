// SPDX-License-Identifier: BSD-2-Clause
// AXI4 between the NIC and memory: shape of bursts, one W burst of the right
// length per AW, R and B only for what is outstanding.
module axi4_assert #(
  parameter integer WAIT_MAX = 100000   // cycles in which announced W beats must come
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [1:0]   arid,
  input logic [63:0]  araddr,
  input logic [7:0]   arlen,
  input logic [2:0]   arsize,
  input logic [1:0]   arburst,
  input logic         arvalid,
  input logic         arready,
  input logic [1:0]   rid,
  input logic [511:0] rdata,
  input logic [1:0]   rresp,
  input logic         rlast,
  input logic         rvalid,
  input logic         rready,
  input logic [1:0]   awid,
  input logic [63:0]  awaddr,
  input logic [7:0]   awlen,
  input logic [2:0]   awsize,
  input logic [1:0]   awburst,
  input logic         awvalid,
  input logic         awready,
  input logic [511:0] wdata,
  input logic [63:0]  wstrb,
  input logic         wlast,
  input logic         wvalid,
  input logic         wready,
  input logic [1:0]   bid,
  input logic [1:0]   bresp,
  input logic         bvalid,
  input logic         bready
);
  stable_assert #(.W(79), .NAME("m_axi AR")) u_ar (
    .clk_i, .rst_ni, .data_i({arid, araddr, arlen, arsize, arburst}),
    .valid_i(arvalid), .ready_i(arready));
  stable_assert #(.W(517), .NAME("m_axi R")) u_r (
    .clk_i, .rst_ni, .data_i({rid, rdata, rresp, rlast}), .valid_i(rvalid), .ready_i(rready));
  stable_assert #(.W(79), .NAME("m_axi AW")) u_aw (
    .clk_i, .rst_ni, .data_i({awid, awaddr, awlen, awsize, awburst}),
    .valid_i(awvalid), .ready_i(awready));
  stable_assert #(.W(577), .NAME("m_axi W")) u_w (
    .clk_i, .rst_ni, .data_i({wdata, wstrb, wlast}), .valid_i(wvalid), .ready_i(wready));
  stable_assert #(.W(4), .NAME("m_axi B")) u_b (
    .clk_i, .rst_ni, .data_i({bid, bresp}), .valid_i(bvalid), .ready_i(bready));

  // Shape of a burst: whole beats, ascending, inside 4 KiB.
  function automatic bit burst_fits(input logic [5:0] line, input logic [7:0] len);
    return {3'b0, line} + {1'b0, len} < 9'd64;
  endfunction

  always @(posedge clk_i) begin
    if (rst_ni && arvalid) begin
      assert (burst_fits(araddr[11:6], arlen)) else $fatal(1, "m_axi AR: burst crosses 4 KiB");
      assert (arsize == 3'd6 && arburst == 2'b01) else $fatal(1, "m_axi AR: size or burst type");
    end
    if (rst_ni && awvalid) begin
      assert (burst_fits(awaddr[11:6], awlen)) else $fatal(1, "m_axi AW: burst crosses 4 KiB");
      assert (awsize == 3'd6 && awburst == 2'b01) else $fatal(1, "m_axi AW: size or burst type");
    end
  end

  // The books below are kept in order within a clock edge: blocking, on purpose.
  /* verilator lint_off BLKSEQ */

  // Reads: lengths of the outstanding bursts per ID, beats of the oldest.
  logic [7:0] r_len [0:3][0:255];
  logic [7:0] r_head [0:3], r_tail [0:3], r_beat [0:3];

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int i = 0; i < 4; i++) begin
        r_head[i] = '0;
        r_tail[i] = '0;
        r_beat[i] = '0;
      end
    end else begin
      if (rvalid) begin
        assert (r_head[rid] != r_tail[rid]) else $fatal(1, "m_axi R: ID %0d has no read open", rid);
        assert (rlast == (r_beat[rid] == r_len[rid][r_head[rid]]))
          else $fatal(1, "m_axi R: RLAST at beat %0d of ID %0d", r_beat[rid], rid);
      end
      if (rvalid && rready) begin
        r_beat[rid] = rlast ? 8'd0 : r_beat[rid] + 8'd1;
        if (rlast) r_head[rid] = r_head[rid] + 8'd1;
      end
      if (arvalid && arready) begin
        r_len[arid][r_tail[arid]] = arlen;
        r_tail[arid] = r_tail[arid] + 8'd1;
        assert (r_tail[arid] != r_head[arid]) else $fatal(1, "m_axi AR: more than 255 open reads");
      end
    end
  end

  // Writes: bursts announced, given and complete, counted modulo 256. W may run
  // ahead of AW; then the lengths are compared when AW comes.
  logic [7:0] w_len [0:255];
  logic [1:0] w_id [0:255];
  logic [7:0] w_got [0:255];
  logic [7:0] aw_n, w_n, full_n, w_beat;
  logic [7:0] b_open [0:3];   // complete and not yet answered
  integer     idle;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_n   = '0;
      w_n    = '0;
      full_n = '0;
      w_beat = '0;
      idle   = 0;
      for (int i = 0; i < 4; i++) b_open[i] = '0;
    end else begin
      assert (!bvalid || b_open[bid] != '0) else $fatal(1, "m_axi B: ID %0d has no write open", bid);
      if (bvalid && bready) b_open[bid] = b_open[bid] - 8'd1;
      if (awvalid && awready) begin
        w_len[aw_n] = awlen;
        w_id[aw_n]  = awid;
        // How far W is ahead: complete bursts, or beats of the burst under way.
        if (aw_n != w_n && 8'(w_n - aw_n) < 8'd128)
          assert (w_got[aw_n] == awlen) else $fatal(1, "m_axi W: WLAST not where AWLEN says");
        else if (aw_n == w_n)
          assert (w_beat <= awlen) else $fatal(1, "m_axi W: more beats than AWLEN says");
        aw_n = aw_n + 8'd1;
      end
      if (wvalid && wready) begin
        if (w_n != aw_n && 8'(aw_n - w_n) < 8'd128)
          assert (wlast == (w_beat == w_len[w_n])) else $fatal(1, "m_axi W: WLAST not where AWLEN says");
        w_got[w_n] = w_beat;
        w_beat = wlast ? 8'd0 : w_beat + 8'd1;
        if (wlast) w_n = w_n + 8'd1;
      end
      if (full_n != aw_n && full_n != w_n) begin
        b_open[w_id[full_n]] = b_open[w_id[full_n]] + 8'd1;
        full_n = full_n + 8'd1;
      end
      idle = (aw_n == w_n || wvalid) ? 0 : idle + 1;
      assert (idle < WAIT_MAX) else $fatal(1, "m_axi W: announced beats do not come");
    end
  end

  /* verilator lint_on BLKSEQ */

  logic unused;
  assign unused = &{1'b0, araddr, awaddr, rdata, wdata, rresp, bresp};
endmodule
