// SPDX-License-Identifier: BSD-2-Clause
// A user of mr_defs_pkg, for lint and synthesis.
`include "mr_defs.svh"
module uses_pkg (
  input  logic [127:0] hdr_i,
  input  logic [335:0] ack_i,
  output logic         write_o,
  output logic [23:0]  psn_o,
  output logic [15:0]  edge_o,
  output logic [335:0] ack_o
);
  mr_defs_pkg::mr_base_t b;
  mr_defs_pkg::mr_ack_t  a;
  assign b = mr_defs_pkg::mr_base_unpack(hdr_i);
  assign a = mr_defs_pkg::mr_ack_unpack(ack_i);
  assign psn_o = b.psn;
  assign edge_o = a.edge_;
  assign ack_o = mr_defs_pkg::mr_ack_pack(a);
  assign write_o = b.kind == mr_defs_pkg::MR_KIND_DATA && b.opcode == mr_defs_pkg::MR_OP_WRITE;
  wire unused = &{b.version, b.flags, b.epoch, b.conn, b.path, b.rsvd1, b.ts};
endmodule
