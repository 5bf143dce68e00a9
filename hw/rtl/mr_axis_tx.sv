// SPDX-License-Identifier: BSD-2-Clause
// mac_beat stream (ext.h) to AXI-Stream for the MAC. A MAC must not run dry
// inside a frame, so a frame starts when all of it is in the buffer. A frame
// that is larger than the buffer starts when the buffer is full.
module mr_axis_tx #(
  parameter integer DEPTH = 128   // beats
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [520:0] beat_data_i,    // data 511:0, n 518:512, last 519, err 520
  input  logic         beat_valid_i,
  output logic         beat_ready_o,
  output logic [511:0] m_axis_tdata_o,
  output logic [63:0]  m_axis_tkeep_o,
  output logic         m_axis_tlast_o,
  output logic         m_axis_tuser_o,
  output logic         m_axis_tvalid_o,
  input  logic         m_axis_tready_i
);
  localparam integer NW = $clog2(DEPTH + 3);

  logic [520:0]  buf_data;
  logic          buf_valid, buf_take, go, push_last, take_last;
  logic [NW-1:0] frames_q;    // ends of frames in the buffer
  logic          inside_q;    // the frame at the head has started
  logic [511:0]  tdata_q;
  logic [63:0]   tkeep_q;
  logic          tlast_q, tuser_q, tvalid_q;

  mr_fifo #(.W(521), .DEPTH(DEPTH)) u_buf (
    .clk_i, .rst_ni,
    .in_data_i (beat_data_i), .in_valid_i(beat_valid_i), .in_ready_o(beat_ready_o),
    .out_data_o(buf_data), .out_valid_o(buf_valid), .out_ready_i(buf_take)
  );

  assign go        = inside_q || (frames_q != '0) || !beat_ready_o;
  assign buf_take  = buf_valid && go && (!tvalid_q || m_axis_tready_i);
  assign push_last = beat_valid_i && beat_ready_o && beat_data_i[519];
  assign take_last = buf_take && buf_data[519];

  always_ff @(posedge clk_i) begin
    if (buf_take) begin
      tdata_q <= buf_data[511:0];
      tkeep_q <= buf_data[519] ? ~({64{1'b1}} << buf_data[518:512]) : '1;
      tlast_q <= buf_data[519];
      tuser_q <= buf_data[520];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      frames_q <= '0;
      inside_q <= 1'b0;
      tvalid_q <= 1'b0;
    end else begin
      frames_q <= frames_q + NW'(push_last) - NW'(take_last);
      if (buf_take) inside_q <= !buf_data[519];
      if (buf_take) tvalid_q <= 1'b1;
      else if (m_axis_tready_i) tvalid_q <= 1'b0;
    end
  end

  assign m_axis_tdata_o  = tdata_q;
  assign m_axis_tkeep_o  = tkeep_q;
  assign m_axis_tlast_o  = tlast_q;
  assign m_axis_tuser_o  = tuser_q;
  assign m_axis_tvalid_o = tvalid_q;
endmodule
