import Encoding

/// A sequence parameter set (ITU-T H.264 §7.3.2.1).
enum H264Parameters {
    /// Profiles whose parameter set has the chroma fields.
    private static let highProfiles: Set<UInt32> = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    /// Reads a unit of type 7 with its header byte; nil when the profile is missing.
    static func read(_ unit: ArraySlice<UInt8>) -> CodecParameters? {
        let profile = Array(unit.dropFirst().prefix(3))
        guard profile.count == 3 else { return nil }
        return CodecParameters(codecString: codecString(profile), resolution: resolution(unit))
    }

    /// `avc1.` with profile, constraints and level (RFC 6381 §3.3).
    static func codecString(_ profile: [UInt8], entry: String = "avc1") -> String {
        profile.reduce("\(entry).") { $0 + Hexadecimal.encode([$1]) }
    }

    private static func resolution(_ unit: ArraySlice<UInt8>) -> Resolution? {
        var reader = BitReader(escaped: unit.dropFirst())
        guard let profile = reader.bits(8), reader.skip(16), reader.unsigned() != nil,
            let chroma = chroma(profile, &reader), skipOrder(&reader), reader.unsigned() != nil,
            reader.skip(1),
            let columns = reader.unsigned(), let rows = reader.unsigned(), let framesOnly = reader.bit()
        else { return nil }
        guard reader.skip(framesOnly ? 1 : 2), let isCropped = reader.bit() else { return nil }
        let fields = framesOnly ? 1 : 2
        let unitWidth = chroma == 1 || chroma == 2 ? 2 : 1
        let unitHeight = (chroma == 1 ? 2 : 1) * fields
        let crop = isCropped ? Crop(&reader) : Crop()
        return crop?.applied(
            width: (Int(columns) + 1) * 16, height: (Int(rows) + 1) * 16 * fields, unitWidth, unitHeight)
    }

    /// chroma_format_idc, 0 for separate planes.
    private static func chroma(_ profile: UInt32, _ reader: inout BitReader) -> UInt32? {
        guard highProfiles.contains(profile) else { return 1 }
        guard let format = reader.unsigned(), format <= 3 else { return nil }
        var separate = false
        if format == 3 {
            guard let bit = reader.bit() else { return nil }
            separate = bit
        }
        guard reader.unsigned() != nil, reader.unsigned() != nil, reader.skip(1), let hasMatrix = reader.bit()
        else {
            return nil
        }
        guard !hasMatrix || skipMatrix(lists: format == 3 ? 12 : 8, &reader) else { return nil }
        return separate ? 0 : format
    }

    private static func skipMatrix(lists: Int, _ reader: inout BitReader) -> Bool {
        for list in 0..<lists {
            guard let isPresent = reader.bit() else { return false }
            if isPresent && !skipList(size: list < 6 ? 16 : 64, &reader) { return false }
        }
        return true
    }

    /// A list ends early when its next scale becomes 0 (§7.3.2.1.1.1).
    private static func skipList(size: Int, _ reader: inout BitReader) -> Bool {
        var last: Int32 = 8
        for _ in 0..<size {
            guard let delta = reader.signed() else { return false }
            last = (last &+ delta) & 0xFF
            if last == 0 { return true }
        }
        return true
    }

    /// Frame numbers and picture order.
    private static func skipOrder(_ reader: inout BitReader) -> Bool {
        guard reader.unsigned() != nil, let type = reader.unsigned() else { return false }
        if type == 0 { return reader.unsigned() != nil }
        guard type == 1 else { return true }
        guard reader.skip(1), reader.signed() != nil, reader.signed() != nil, let count = reader.unsigned(),
            count <= 255
        else { return false }
        for _ in 0..<count where reader.signed() == nil { return false }
        return true
    }
}
