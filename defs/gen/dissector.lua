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
