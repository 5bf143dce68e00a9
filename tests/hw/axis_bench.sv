// SPDX-License-Identifier: BSD-2-Clause
// Both MAC adapters, apart, with small buffers: 8 beats to a largest frame.
module axis_bench (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [511:0] t_data,
  input  logic [6:0]   t_n,
  input  logic         t_last,
  input  logic         t_err,
  input  logic         t_valid,
  output logic         t_ready,
  output logic [511:0] m_axis_tdata,
  output logic [63:0]  m_axis_tkeep,
  output logic         m_axis_tlast,
  output logic         m_axis_tuser,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready,
  input  logic [511:0] s_axis_tdata,
  input  logic [63:0]  s_axis_tkeep,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tuser,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,
  output logic [511:0] r_data,
  output logic [6:0]   r_n,
  output logic         r_last,
  output logic         r_err,
  output logic         r_valid,
  input  logic         r_ready,
  output logic [31:0]  drops
);
  mr_axis_tx #(.DEPTH(16)) u_tx (
    .clk_i, .rst_ni,
    .beat_data_i({t_err, t_last, t_n, t_data}), .beat_valid_i(t_valid), .beat_ready_o(t_ready),
    .m_axis_tdata_o(m_axis_tdata), .m_axis_tkeep_o(m_axis_tkeep), .m_axis_tlast_o(m_axis_tlast),
    .m_axis_tuser_o(m_axis_tuser), .m_axis_tvalid_o(m_axis_tvalid),
    .m_axis_tready_i(m_axis_tready));
  mr_axis_rx #(.DEPTH(24), .FRAME_BEATS(8)) u_rx (
    .clk_i, .rst_ni,
    .s_axis_tdata_i(s_axis_tdata), .s_axis_tkeep_i(s_axis_tkeep), .s_axis_tlast_i(s_axis_tlast),
    .s_axis_tuser_i(s_axis_tuser), .s_axis_tvalid_i(s_axis_tvalid),
    .s_axis_tready_o(s_axis_tready),
    .beat_data_o({r_err, r_last, r_n, r_data}), .beat_valid_o(r_valid), .beat_ready_i(r_ready),
    .drops_o(drops));
  axis_assert #(.NAME("m_axis")) u_assert (
    .clk_i, .rst_ni, .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tlast(m_axis_tlast),
    .tuser(m_axis_tuser), .tvalid(m_axis_tvalid), .tready(m_axis_tready));
endmodule
