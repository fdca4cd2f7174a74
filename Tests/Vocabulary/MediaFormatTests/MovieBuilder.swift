/// Builds small fMP4 segments and initialization sections by hand (ISO 14496-12).
enum MovieBuilder {
    static func number(_ value: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(value >> (8 * (byteCount - 1 - $0)) & 0xFF) }
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(UInt64(content.count + 8), 4) + Array(type.utf8) + content
    }

    static func longBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, 1] + Array(type.utf8) + number(UInt64(content.count + 16), 8) + content
    }

    static func fullBox(_ type: String, version: UInt8 = 0, flags: UInt64 = 0, _ content: [UInt8]) -> [UInt8]
    {
        box(type, [version] + number(flags, 3) + content)
    }

    static func zeros(_ count: Int) -> [UInt8] {
        Array(repeating: 0, count: count)
    }

    static func videoEntry(_ type: String, _ configuration: [UInt8]) -> [UInt8] {
        box(type, zeros(24) + number(1280, 2) + number(720, 2) + zeros(50) + configuration)
    }

    static func audioEntry(_ type: String, _ configuration: [UInt8]) -> [UInt8] {
        box(type, zeros(8) + zeros(20) + configuration)
    }

    static let avc = box("avcC", [1, 0x64, 0x00, 0x1F, 0xFF, 0xE0, 0])
    static func descriptors(objectType: UInt8, specific: [UInt8]) -> [UInt8] {
        let info: [UInt8] = specific.isEmpty ? [] : [0x05, UInt8(specific.count)] + specific
        let decoder: [UInt8] = [objectType] + zeros(12) + info
        let stream: [UInt8] = [0, 1, 0, 0x04, 0x80, 0x80, 0x80, UInt8(decoder.count)] + decoder
        return fullBox("esds", [0x03, UInt8(stream.count)] + stream)
    }

    static func track(_ id: UInt64, handler: String, timescale: UInt64, entry: [UInt8]) -> [UInt8] {
        let description = fullBox("stsd", number(1, 4) + entry)
        let media =
            fullBox("mdhd", zeros(8) + number(timescale, 4) + zeros(8))
            + fullBox("hdlr", zeros(4) + Array(handler.utf8) + zeros(13))
            + box("minf", box("stbl", description))
        return box("trak", fullBox("tkhd", zeros(8) + number(id, 4) + zeros(68)) + box("mdia", media))
    }

    static func extends(_ id: UInt64, duration: UInt64, flags: UInt64) -> [UInt8] {
        fullBox("trex", number(id, 4) + number(1, 4) + number(duration, 4) + zeros(4) + number(flags, 4))
    }

    static let videoTrack = track(1, handler: "vide", timescale: 12800, entry: videoEntry("avc1", avc))
    static let audioTrack = track(
        2, handler: "soun", timescale: 48000,
        entry: audioEntry("mp4a", descriptors(objectType: 0x40, specific: [0x11, 0x90])))
    static let defaults = box(
        "mvex", extends(1, duration: 512, flags: 0x1_0000) + extends(2, duration: 1024, flags: 0))
    static let initSection =
        box("ftyp", Array("iso5".utf8) + zeros(4)) + box("moov", videoTrack + audioTrack + defaults)

    /// A run with this number of samples and without entries.
    static func run(_ count: UInt64, firstFlags: UInt64? = nil) -> [UInt8] {
        fullBox(
            "trun", flags: firstFlags == nil ? 0x1 : 0x5,
            number(count, 4) + zeros(4) + (firstFlags.map { number($0, 4) } ?? []))
    }

    static func fragment(_ id: UInt64, time: UInt64, _ runs: [UInt8]) -> [UInt8] {
        box(
            "traf",
            fullBox("tfhd", flags: 0x2_0000, number(id, 4)) + fullBox("tfdt", version: 1, number(time, 8))
                + runs)
    }

    /// Two seconds of both tracks.
    static func segment(time: UInt64 = 128_000) -> [UInt8] {
        let video = fragment(1, time: time, run(50, firstFlags: 0))
        let audio = fragment(2, time: time * 48000 / 12800, run(94))
        return box("styp", Array("msdh".utf8)) + box("moof", fullBox("mfhd", number(1, 4)) + video + audio)
            + box("mdat", Array(repeating: 0x5A, count: 300))
    }
}
