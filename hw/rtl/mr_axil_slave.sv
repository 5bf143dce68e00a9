// SPDX-License-Identifier: BSD-2-Clause
// AXI4-Lite slave to the register streams (ext.h: struct reg_req, reg_rsp).
// One access at a time, reads and writes in turn. It never hangs the bus: an
// access that the NIC does not answer within TIMEOUT cycles gets SLVERR, and its
// late answer is thrown away. A write with a strobe other than 0xf gets SLVERR
// and has no effect.
module mr_axil_slave #(
  parameter integer TIMEOUT = 4096   // cycles
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] s_axil_awaddr_i,
  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  output logic [1:0]  s_axil_bresp_o,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  input  logic [15:0] s_axil_araddr_i,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic [48:0] req_data_o,     // write 0, addr 16:1, data 48:17
  output logic        req_valid_o,
  input  logic        req_ready_i,
  input  logic [31:0] rsp_data_i,
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o
);
  localparam integer TW = $clog2(TIMEOUT + 1);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  typedef enum logic [1:0] { Idle, Issue, Wait, Answer } state_e;
  state_e state_q;

  // Address and data of a write, and address of a read, as they arrive.
  logic        aw_q, w_q, ar_q;
  logic [13:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic        wfull_q;

  logic          write_q;      // the access in work is a write
  logic [1:0]    resp_q;
  logic [31:0]   rdata_q;
  logic [TW-1:0] time_q;
  logic [48:0]   req_q;
  logic          req_valid_q;
  logic [3:0]    stale_q;      // late answers still to come, of accesses given up
  logic          late, may_issue, timeout, write_go, read_go, answered, give_up;

  assign s_axil_awready_o = rst_ni && !aw_q;
  assign s_axil_wready_o  = rst_ni && !w_q;
  assign s_axil_arready_o = rst_ni && !ar_q;
  assign s_axil_bvalid_o  = (state_q == Answer) && write_q;
  assign s_axil_bresp_o   = resp_q;
  assign s_axil_rvalid_o  = (state_q == Answer) && !write_q;
  assign s_axil_rresp_o   = resp_q;
  assign s_axil_rdata_o   = rdata_q;
  assign req_data_o       = req_q;
  assign req_valid_o      = req_valid_q;
  assign rsp_ready_o      = 1'b1;

  // Whoever was answered last has to ask again, so the other side's turn comes.
  assign write_go  = aw_q && w_q;
  assign read_go   = ar_q && !write_go;
  assign late      = rsp_valid_i && (stale_q != '0);
  assign may_issue = !req_valid_q && (stale_q != '1);
  assign timeout   = time_q == TW'(TIMEOUT);
  assign answered  = (state_q == Answer) && (write_q ? s_axil_bready_i : s_axil_rready_i);
  assign give_up   = (state_q == Wait) && timeout && !(rsp_valid_i && (stale_q == '0));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q  <= 1'b0;
      ar_q <= 1'b0;
    end else begin
      if (s_axil_awvalid_i) aw_q <= 1'b1;
      if (s_axil_wvalid_i)  w_q  <= 1'b1;
      if (s_axil_arvalid_i) ar_q <= 1'b1;
      if (answered && write_q)  {aw_q, w_q} <= 2'b00;
      if (answered && !write_q) ar_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!aw_q) awaddr_q <= s_axil_awaddr_i[15:2];
    if (!ar_q) araddr_q <= s_axil_araddr_i[15:2];
    if (!w_q) begin
      wdata_q <= s_axil_wdata_i;
      wfull_q <= s_axil_wstrb_i == 4'hf;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      write_q     <= 1'b0;
      resp_q      <= OKAY;
      rdata_q     <= '0;
      time_q      <= '0;
      req_q       <= '0;
      req_valid_q <= 1'b0;
      stale_q     <= '0;
    end else begin
      if (req_ready_i) req_valid_q <= 1'b0;
      stale_q <= stale_q - 4'(late) + 4'(give_up);
      time_q  <= (state_q == Idle) ? '0 : time_q + TW'(!timeout);
      case (state_q)
        Idle: if (write_go || read_go) begin
          write_q <= write_go;
          resp_q  <= SLVERR;
          rdata_q <= '0;
          state_q <= (write_go && !wfull_q) ? Answer : Issue;
        end
        Issue: if (may_issue) begin
          req_q       <= write_q ? {wdata_q, awaddr_q, 2'b00, 1'b1}
                                 : {32'b0, araddr_q, 2'b00, 1'b0};
          req_valid_q <= 1'b1;
          state_q     <= Wait;
        end else if (timeout) begin
          state_q <= Answer;
        end
        Wait: if (rsp_valid_i && (stale_q == '0)) begin
          resp_q  <= OKAY;
          rdata_q <= write_q ? '0 : rsp_data_i;
          state_q <= Answer;
        end else if (timeout) begin
          state_q <= Answer;
        end
        default: if (answered) state_q <= Idle;
      endcase
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axil_awaddr_i[1:0], s_axil_araddr_i[1:0]};
endmodule
