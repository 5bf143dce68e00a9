-- SPDX-License-Identifier: BSD-2-Clause
-- Wireshark dissector, printed by mr-defs from the rows in defs/. Do not edit.
--     wireshark -X lua_script:metaroce.lua

local codes = {}
codes.WIRE = {
  [1] = "VERSION",
  [49791] = "UDP_PORT",
  [4] = "ICRC_BYTES",
  [4096] = "PAYLOAD_MAX",
  [256] = "WINDOW",
  [16777215] = "CONN_NONE",
  [16777215] = "STREAM_NONE",
  [256] = "MTU_MIN",
  [2147483648] = "MSG_MAX",
  [8] = "PLANES",
  [558161692] = "ICRC_RESIDUE",
  [126] = "AROUND",
  [4224] = "FRAME_MAX",
  [8] = "ATOMIC",
}
codes.TS = {
  [4] = "NS",
}
codes.KIND = {
  [1] = "DATA",
  [2] = "ACK",
  [3] = "PATH",
  [4] = "CONN",
  [5] = "ERROR",
}
codes.OP = {
  [0] = "NULL",
  [1] = "WRITE",
  [2] = "WRITE_IMM",
  [3] = "SEND",
  [4] = "SEND_IMM",
  [5] = "SEND_INV",
  [6] = "READ",
  [7] = "READ_RSP",
  [8] = "CMP_SWAP",
  [9] = "FETCH_ADD",
  [10] = "ATOMIC_RSP",
  [11] = "BIND_WINDOW",
  [12] = "LOCAL_INV",
}
codes.ACKOP = {
  [0] = "ACK",
}
codes.ERROROP = {
  [0] = "ERROR",
}
codes.PATHOP = {
  [1] = "PROBE",
  [2] = "CLOSE",
  [3] = "CLOSED",
}
codes.CONNOP = {
  [1] = "CONNECT",
  [2] = "ACCEPT",
  [3] = "REJECT",
  [4] = "READY",
  [5] = "DISCONNECT",
  [6] = "DISCONNECTED",
  [7] = "KEEPALIVE",
  [8] = "ALIVE",
  [9] = "STREAM_OPEN",
  [10] = "STREAM_OPENED",
  [11] = "STREAM_CLOSE",
  [12] = "STREAM_CLOSED",
}
codes.REASON = {
  [0] = "NONE",
  [1] = "VERSION",
  [2] = "SERVICE",
  [3] = "RESOURCES",
  [4] = "PARAMETER",
  [5] = "REFUSED",
  [6] = "TIMEOUT",
  [7] = "ERROR",
  [8] = "PATH_DEAD",
  [9] = "PATH_SLOW",
  [10] = "PLANE",
}
codes.FLAG = {
  [1] = "LAST",
  [2] = "RESENT",
  [4] = "SOLICITED",
}
codes.PROF = {
  [32] = "ACK_PACKETS",
  [16] = "ACK_US",
  [100] = "RTT_US",
  [10] = "PROBE_US_MIN",
  [1000000] = "PROBE_US_MAX",
  [3] = "FAIL_MIN",
  [10] = "RETRY_MAX",
  [16] = "CWND_INIT",
  [8] = "WND_INIT",
  [100000] = "LINK_MBPS",
  [20] = "RNR_US_MIN",
  [20000] = "RNR_US_MAX",
  [64] = "RNR_MAX",
  [64] = "MSGS",
  [10000] = "CTL_US",
  [8] = "CTL_MAX",
  [2000] = "KEEPALIVE_MS",
  [5000] = "QUIET_MS",
  [2000] = "LIFETIME_MS",
}
codes.WQEF = {
  [1] = "SIGNALED",
  [2] = "FENCE",
  [4] = "INLINE",
  [8] = "SOLICITED",
}
codes.CQEF = {
  [1] = "RECV",
  [2] = "IMM",
  [4] = "SOLICITED",
}
codes.CONNF = {
  [1] = "IPV6",
  [2] = "VLAN",
}
codes.RIGHT = {
  [1] = "LOCAL_READ",
  [2] = "LOCAL_WRITE",
  [4] = "REMOTE_WRITE",
  [8] = "REMOTE_READ",
  [16] = "REMOTE_ATOMIC",
  [32] = "BIND",
}
codes.KEYKIND = {
  [0] = "REGION",
  [1] = "WINDOW",
}
codes.TBL = {
  [1] = "CONN",
  [2] = "PATH",
  [3] = "STREAM",
  [4] = "KEY",
  [5] = "CQ",
  [6] = "TELE",
  [7] = "HIST",
  [8] = "RQ",
  [9] = "EQ",
  [10] = "PAGES",
}
codes.EVT = {
  [1] = "CQ",
  [2] = "CQ_OVERFLOW",
  [3] = "STREAM_ERROR",
  [4] = "PATH_DOWN",
  [5] = "PATH_UP",
  [6] = "CONN_DEAD",
  [7] = "LOST",
}
codes.RQ = {
  [65535] = "NONE",
}
codes.SGE = {
  [16] = "MAX",
}
codes.PATHST = {
  [0] = "FREE",
  [1] = "OPEN",
  [2] = "PORT",
}
codes.TELEST = {
  [0] = "FREE",
  [1] = "LIVE",
  [2] = "PROBING",
  [3] = "CLOSING",
  [4] = "MOVING",
  [5] = "TRIAL",
  [6] = "DEAD",
}
codes.POLICY = {
  [0] = "LEAST",
  [1] = "TURN",
}
codes.TBLOP = {
  [1] = "WRITE",
  [2] = "READ",
}
codes.ERR = {
  [0] = "OK",
  [1] = "REMOTE_KEY",
  [2] = "REMOTE_BOUNDS",
  [3] = "REMOTE_RIGHT",
  [4] = "REMOTE_OP",
  [5] = "REMOTE_STREAM",
  [6] = "LOCAL_KEY",
  [7] = "LOCAL_BOUNDS",
  [8] = "LOCAL_RIGHT",
  [9] = "LOCAL_OP",
  [10] = "RETRY",
  [11] = "FLUSH",
  [12] = "BUS",
  [13] = "RNR",
  [14] = "REMOTE_ALIGN",
}

local layouts = {}
layouts.base = { name = "Base header: the first bytes behind UDP in every packet", bytes = 16,
  { "version", bit = 0, bits = 4, text = "protocol version, MR_WIRE_VERSION" },
  { "kind", bit = 4, bits = 4, group = "KIND", text = "packet kind, MR_KIND_*" },
  { "opcode", bit = 8, bits = 8, text = "operation within the kind: MR_OP_*, MR_PATHOP_*, MR_CONNOP_*" },
  { "flags", bit = 16, bits = 8, text = "MR_FLAG_*" },
  { "epoch", bit = 24, bits = 8, text = "incarnation of the path, 0 at set-up" },
  { "conn", bit = 32, bits = 24, text = "the receiver's connection number: index in the low 16 bits, generation above" },
  { "path", bit = 56, bits = 8, text = "path within the connection" },
  { "psn", bit = 64, bits = 24, text = "data: this packet's path sequence number; acknowledgment: first number not yet received; probe: next number to be sent; CLOSED: first number not received; error: the refused number; else 0" },
  { "rsvd1", bit = 88, bits = 8, text = "sent as 0, not looked at" },
  { "ts", bit = 96, bits = 32, text = "data and path control: sender's clock at transmission, strictly increasing along a path, unit MR_TS_NS; acknowledgment: echo of the packet that arrived last on the path; error: echo of the refused packet" },
}
layouts.data = { name = "Data extension: follows the base header of kind DATA", bytes = 40,
  { "stream", bit = 0, bits = 24, text = "the receiver's stream number" },
  { "rsvd0", bit = 24, bits = 8, text = "sent as 0, not looked at" },
  { "msg", bit = 32, bits = 32, text = "message number within the stream, from 0, wraps" },
  { "offset", bit = 64, bits = 32, text = "bytes of the message in front of this packet's payload" },
  { "msg_len", bit = 96, bits = 32, text = "bytes of the whole message" },
  { "pay_len", bit = 128, bits = 16, text = "bytes of payload in this packet, 0 to the connection's payload limit" },
  { "rsvd1", bit = 144, bits = 16, text = "sent as 0, not looked at" },
  { "addr", bit = 160, bits = 64, text = "Write: where this packet's payload goes; Read request: where the data is taken; Read response: offset of the payload in the answer; atomic response: the value before the operation; else 0" },
  { "key", bit = 224, bits = 32, text = "key of the window or region that addr lies in" },
  { "imm", bit = 256, bits = 32, text = "immediate data, or the key to invalidate; response: MR_ERR_* of the request; else 0" },
  { "match", bit = 288, bits = 32, text = "Send, Write with immediate: number of the posted receive that takes it; else 0" },
}
layouts.ack = { name = "Acknowledgment extension: follows the base header of kind ACK", bytes = 42,
  { "edge", bit = 0, bits = 16, text = "low 16 bits of the first number of which nothing is known yet: every lower one has arrived or is lost" },
  { "ce", bit = 16, bits = 16, text = "packets that arrived on this path with the CE mark, modulo 2^16" },
  { "hint", bit = 32, bits = 32, text = "inbound rate allotted to this sender, Mbit/s; 0 = none stated" },
  { "delay", bit = 64, bits = 16, text = "time between the arrival of the echoed packet and this acknowledgment, unit MR_TS_NS, 0xffff = that or more" },
  { "bits", bit = 80, bits = 256, text = "bit i (of the number read as one 256-bit integer) set: the number p with psn <= p < psn + 256 and p mod 256 = i has arrived" },
}
layouts.error = { name = "Error extension: follows the base header of kind ERROR", bytes = 12,
  { "code", bit = 0, bits = 8, group = "ERR", text = "MR_ERR_*" },
  { "stream", bit = 8, bits = 24, text = "the receiver's stream number of this notification, i.e. the stream of the refused packet's sender; where that is not known, the number that the refused packet named" },
  { "msg", bit = 32, bits = 32, text = "message number of the refused packet" },
  { "offset", bit = 64, bits = 32, text = "offset of the refused packet in its message" },
}
layouts.atomic = { name = "Atomic extension: follows the base header of compare-and-swap and fetch-and-add; stream, msg, addr, key and match stand where the data extension has them", bytes = 40,
  { "stream", bit = 0, bits = 24, text = "the receiver's stream number" },
  { "rsvd0", bit = 24, bits = 8, text = "sent as 0, not looked at" },
  { "msg", bit = 32, bits = 32, text = "message number within the stream, from 0, wraps" },
  { "compare", bit = 64, bits = 64, text = "compare-and-swap: expected value; fetch-and-add: addend" },
  { "swap_hi", bit = 128, bits = 32, text = "compare-and-swap: upper half of the new value; fetch-and-add: 0" },
  { "addr", bit = 160, bits = 64, text = "the 8 bytes operated on, a multiple of 8" },
  { "key", bit = 224, bits = 32, text = "key of the window or region that addr lies in" },
  { "swap_lo", bit = 256, bits = 32, text = "compare-and-swap: lower half of the new value; fetch-and-add: 0" },
  { "match", bit = 288, bits = 32, text = "sent as 0, not looked at" },
}
layouts.close = { name = "Close extension: follows the base header of PATH CLOSE", bytes = 4,
  { "reason", bit = 0, bits = 8, group = "REASON", text = "MR_REASON_*, for telemetry only" },
  { "rsvd0", bit = 8, bits = 24, text = "sent as 0, not looked at" },
}
layouts.closed = { name = "Closed extension: follows the base header of PATH CLOSED", bytes = 36,
  { "rsvd0", bit = 0, bits = 32, text = "sent as 0, not looked at" },
  { "bits", bit = 32, bits = 256, text = "final bit vector of the ended incarnation, as in ack.bits" },
}
layouts.setup = { name = "Set-up extension: follows the base header of CONN CONNECT and ACCEPT", bytes = 256,
  { "nonce", bit = 0, bits = 64, text = "random number of the connection attempt, chosen by the active side" },
  { "answer", bit = 64, bits = 64, text = "CONNECT: 0; ACCEPT: random number chosen by the passive side" },
  { "version_min", bit = 128, bits = 8, text = "CONNECT: lowest protocol version spoken; ACCEPT: the version chosen" },
  { "version_max", bit = 136, bits = 8, text = "CONNECT: highest protocol version spoken; ACCEPT: the version chosen" },
  { "npaths", bit = 144, bits = 8, text = "CONNECT: paths wanted; ACCEPT: paths of the connection; 1 to 255" },
  { "nplanes", bit = 152, bits = 8, text = "addresses that are valid below, 1 to 8" },
  { "conn", bit = 160, bits = 24, text = "the sender's own connection number: what its peer puts into base.conn" },
  { "rsvd0", bit = 184, bits = 8, text = "sent as 0, not looked at" },
  { "psn", bit = 192, bits = 24, text = "first sequence number that the sender of this message uses on each path" },
  { "rsvd1", bit = 216, bits = 8, text = "sent as 0, not looked at" },
  { "mtu", bit = 224, bits = 16, text = "CONNECT: largest payload per packet offered; ACCEPT: payload per packet of the connection" },
  { "window", bit = 240, bits = 16, text = "packets in flight per path that the sender of this message takes, 1 to 256" },
  { "msgs", bit = 256, bits = 16, text = "messages in flight per stream that the sender of this message takes, from 1" },
  { "requests", bit = 272, bits = 16, text = "Reads and atomics in flight per stream that the sender of this message serves, 0 = none" },
  { "stream", bit = 288, bits = 24, text = "the sender's number of the first stream, 0xffffff = none is opened" },
  { "priv_len", bit = 312, bits = 8, text = "bytes of priv in use, 0 to 64" },
  { "service", bit = 320, bits = 64, text = "CONNECT: service that is called; ACCEPT: the same" },
  { "addr0", bit = 384, bits = 128, text = "address of the sender on plane 0; IPv4 as ::ffff:a.b.c.d" },
  { "addr1", bit = 512, bits = 128, text = "likewise on plane 1" },
  { "addr2", bit = 640, bits = 128, text = "likewise on plane 2" },
  { "addr3", bit = 768, bits = 128, text = "likewise on plane 3" },
  { "addr4", bit = 896, bits = 128, text = "likewise on plane 4" },
  { "addr5", bit = 1024, bits = 128, text = "likewise on plane 5" },
  { "addr6", bit = 1152, bits = 128, text = "likewise on plane 6" },
  { "addr7", bit = 1280, bits = 128, text = "likewise on plane 7" },
  { "rsvd2", bit = 1408, bits = 128, text = "sent as 0, not looked at" },
  { "priv", bit = 1536, bits = 512, text = "data of the application, first byte highest" },
}
layouts.ctl = { name = "Control extension: follows the base header of CONN READY, REJECT, DISCONNECT, DISCONNECTED, KEEPALIVE, ALIVE and the stream messages", bytes = 24,
  { "nonce", bit = 0, bits = 64, text = "READY: setup.answer; else random number of the exchange, the same in question and answer" },
  { "conn", bit = 64, bits = 24, text = "the sender's own connection number, MR_WIRE_CONN_NONE = none" },
  { "reason", bit = 88, bits = 8, group = "REASON", text = "MR_REASON_*" },
  { "version_min", bit = 96, bits = 8, text = "REJECT: lowest protocol version spoken; else the connection's version" },
  { "version_max", bit = 104, bits = 8, text = "REJECT: highest protocol version spoken; else the connection's version" },
  { "rsvd0", bit = 112, bits = 16, text = "sent as 0, not looked at" },
  { "stream", bit = 128, bits = 24, text = "stream messages: the sender's stream number, 0xffffff = none; else 0" },
  { "rsvd1", bit = 152, bits = 8, text = "sent as 0, not looked at" },
  { "peer", bit = 160, bits = 24, text = "stream messages: the receiver's stream number, 0xffffff = not known; else 0" },
  { "rsvd2", bit = 184, bits = 8, text = "sent as 0, not looked at" },
}

local packets = {}
packets[256] = { name = "DATA NULL", ext = "data" }
packets[257] = { name = "DATA WRITE", ext = "data" }
packets[258] = { name = "DATA WRITE_IMM", ext = "data" }
packets[259] = { name = "DATA SEND", ext = "data" }
packets[260] = { name = "DATA SEND_IMM", ext = "data" }
packets[261] = { name = "DATA SEND_INV", ext = "data" }
packets[262] = { name = "DATA READ", ext = "data" }
packets[263] = { name = "DATA READ_RSP", ext = "data" }
packets[264] = { name = "DATA CMP_SWAP", ext = "atomic" }
packets[265] = { name = "DATA FETCH_ADD", ext = "atomic" }
packets[266] = { name = "DATA ATOMIC_RSP", ext = "data" }
packets[512] = { name = "ACK ACK", ext = "ack" }
packets[769] = { name = "PATH PROBE" }
packets[770] = { name = "PATH CLOSE", ext = "close" }
packets[771] = { name = "PATH CLOSED", ext = "closed" }
packets[1025] = { name = "CONN CONNECT", ext = "setup" }
packets[1026] = { name = "CONN ACCEPT", ext = "setup" }
packets[1027] = { name = "CONN REJECT", ext = "ctl" }
packets[1028] = { name = "CONN READY", ext = "ctl" }
packets[1029] = { name = "CONN DISCONNECT", ext = "ctl" }
packets[1030] = { name = "CONN DISCONNECTED", ext = "ctl" }
packets[1031] = { name = "CONN KEEPALIVE", ext = "ctl" }
packets[1032] = { name = "CONN ALIVE", ext = "ctl" }
packets[1033] = { name = "CONN STREAM_OPEN", ext = "ctl" }
packets[1034] = { name = "CONN STREAM_OPENED", ext = "ctl" }
packets[1035] = { name = "CONN STREAM_CLOSE", ext = "ctl" }
packets[1036] = { name = "CONN STREAM_CLOSED", ext = "ctl" }
packets[1280] = { name = "ERROR ERROR", ext = "error" }

local VERSION = 1
local UDP_PORT = 49791
local ICRC_BYTES = 4

-- From here on: defs/gen/dissector.lua.

local metaroce = Proto("metaroce", "MetaRoCE, open NIC profile")
local short = ProtoExpert.new("metaroce.short", "Packet shorter than its layout",
  expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("metaroce.unknown", "Unknown version, kind or opcode",
  expert.group.PROTOCOL, expert.severity.WARN)
metaroce.experts = { short, unknown }

local protofields = {}

local function uint_field(abbr, f)
  local vs = f.group and codes[f.group] or nil
  local width = f.bits < 8 and 8 or f.bits
  local make = ProtoField["uint" .. width]
  local hex = f.bits == 64 or f[1] == "key" or f[1] == "flags" or f[1] == "imm"
  local mask = nil
  if f.bits < 8 then
    mask = (2 ^ f.bits - 1) * 2 ^ (8 - f.bit % 8 - f.bits)
  end
  return make(abbr, f[1], hex and base.HEX or base.DEC, vs, mask, f.text)
end

for lname, l in pairs(layouts) do
  for _, f in ipairs(l) do
    local abbr = "metaroce." .. lname .. "." .. f[1]
    if f.bits <= 32 or f.bits == 64 then
      f.proto = uint_field(abbr, f)
    elseif f.bits == 128 and f[1]:match("^addr") then
      f.proto = ProtoField.ipv6(abbr, f[1], f.text)
    else
      f.proto = ProtoField.bytes(abbr, f[1], base.NONE, f.text)
    end
    protofields[#protofields + 1] = f.proto
  end
end

local flag_fields = {}
for i = 0, 7 do
  local name = codes.FLAG[2 ^ i]
  if name then
    local f = ProtoField.bool("metaroce.flag." .. name:lower(), name, 8, nil, 2 ^ i)
    flag_fields[#flag_fields + 1] = f
    protofields[#protofields + 1] = f
  end
end
local payload_field = ProtoField.bytes("metaroce.payload", "payload")
local icrc_field = ProtoField.uint32("metaroce.icrc", "ICRC", base.HEX)
protofields[#protofields + 1] = payload_field
protofields[#protofields + 1] = icrc_field
metaroce.fields = protofields

-- Adds one layout's fields at `at`; false when the packet ends before it does.
local function add_layout(tree, tvb, at, l)
  if tvb:len() < at + l.bytes then
    tree:add_proto_expert_info(short)
    return false
  end
  local sub = tree:add(tvb(at, l.bytes), l.name)
  for _, f in ipairs(l) do
    local first = math.floor(f.bit / 8)
    local len = math.max(1, math.floor(f.bits / 8))
    f.item = sub:add(f.proto, tvb(at + first, len))
  end
  return true, sub
end

local function info_of(packet, tvb)
  local kind = tvb(0, 1):bitfield(4, 4)
  local s = string.format("%s conn=0x%06x path=%d psn=%d", packet.name, tvb(4, 3):uint(),
    tvb(7, 1):uint(), tvb(8, 3):uint())
  local l = packet.ext and layouts[packet.ext]
  if l and tvb:len() >= layouts.base.bytes + l.bytes then
    for _, f in ipairs(l) do
      if f.bits <= 32 and not f[1]:match("^rsvd") then
        local v = tvb(layouts.base.bytes + math.floor(f.bit / 8), f.bits / 8):uint()
        s = s .. string.format(" %s=%d", f[1], v)
      end
    end
  end
  return s
end

function metaroce.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "MetaRoCE"
  local tree = root:add(metaroce, tvb())
  local ok, sub = add_layout(tree, tvb, 0, layouts.base)
  if not ok then
    return
  end
  local kind = tvb(0, 1):bitfield(4, 4)
  local packet = packets[kind * 256 + tvb(1, 1):uint()]
  if tvb(0, 1):bitfield(0, 4) ~= VERSION or not packet then
    tree:add_proto_expert_info(unknown)
    return
  end
  for _, f in ipairs(flag_fields) do
    sub:add(f, tvb(2, 1))
  end
  pinfo.cols.info = info_of(packet, tvb)
  tree:append_text(", " .. packet.name)
  local at = layouts.base.bytes
  local pay_len = 0
  if packet.ext then
    if not add_layout(tree, tvb, at, layouts[packet.ext]) then
      return
    end
    for _, f in ipairs(layouts[packet.ext]) do
      if f[1] == "pay_len" then
        pay_len = tvb(at + f.bit / 8, 2):uint()
      end
    end
    at = at + layouts[packet.ext].bytes
  end
  if tvb:len() ~= at + pay_len + ICRC_BYTES then
    tree:add_proto_expert_info(short, "Length does not agree with the headers")
    return
  end
  if pay_len > 0 then
    if packet.operands and layouts[packet.operands].bytes == pay_len then
      add_layout(tree, tvb, at, layouts[packet.operands])
    end
    tree:add(payload_field, tvb(at, pay_len))
  end
  tree:add_le(icrc_field, tvb(at + pay_len, ICRC_BYTES))
end

DissectorTable.get("udp.port"):add(UDP_PORT, metaroce)
