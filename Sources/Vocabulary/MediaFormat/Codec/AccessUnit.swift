/// What a codec's parameter sets say about a stream.
struct CodecParameters: Equatable {
    var codecString: String
    var resolution: Resolution?
}

/// The beginning of one video access unit, up to its parameter sets and the type of its first picture.
struct AccessUnit {
    private enum Codec: String {
        case h264
        case hevc
        case mpeg2video
    }

    private let codec: Codec
    private let bytes: [UInt8]

    /// Nil for codecs whose units are not parsed.
    init?(codec: String, bytes: [UInt8]) {
        guard let codec = Codec(rawValue: codec) else { return nil }
        self.codec = codec
        self.bytes = bytes
    }

    var parameters: CodecParameters? {
        switch codec {
        case .h264:
            units.lazy.filter { $0.first.map { $0 & 0x1F } == 7 }.compactMap(H264Parameters.read).first
        case .hevc: units.lazy.filter { Self.hevcType($0) == 33 }.compactMap(HEVCParameters.read).first
        case .mpeg2video: nil
        }
    }

    /// Whether decoding can begin here; nil when no picture was found.
    ///
    /// `marked` is the container's own mark, which decides where the first picture could be either.
    func isKeyFrame(marked: Bool) -> Bool? {
        for unit in units {
            let answer: Bool? =
                switch codec {
                case .h264: h264Answer(unit, marked)
                case .hevc: Self.hevcType(unit).flatMap(Self.hevcAnswer)
                case .mpeg2video: Self.mpeg2Answer(unit)
                }
            if let answer { return answer }
        }
        return marked ? true : nil
    }

    /// IDR (5) or another slice (1, 2); a slice after a sequence parameter set opens an open group of
    /// pictures.
    private func h264Answer(_ unit: ArraySlice<UInt8>, _ marked: Bool) -> Bool? {
        switch unit.first.map({ $0 & 0x1F }) {
        case 5: true
        case 1, 2: marked || parameters != nil
        default: nil
        }
    }

    /// Intra random access pictures are types 16 to 23, others 0 to 9 (ITU-T H.265 table 7-1).
    private static func hevcAnswer(_ type: UInt8) -> Bool? {
        switch type {
        case 16...23: true
        case 0...9: false
        default: nil
        }
    }

    /// A sequence header precedes an intra picture; decoding cannot begin at a picture without one.
    private static func mpeg2Answer(_ unit: ArraySlice<UInt8>) -> Bool? {
        switch unit.first {
        case 0xB3: true
        case 0x00: false
        default: nil
        }
    }

    private static func hevcType(_ unit: ArraySlice<UInt8>) -> UInt8? {
        unit.first.map { $0 >> 1 & 0x3F }
    }

    /// The bytes between start codes 00 00 01 (ITU-T H.264 annex B).
    private var units: [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        var start: Int?
        var index = 2
        while index < bytes.count {
            if bytes[index] == 1 && bytes[index - 1] == 0 && bytes[index - 2] == 0 {
                if let start { units.append(bytes[start..<(index - 2)]) }
                start = index + 1
            }
            index += 1
        }
        if let start { units.append(bytes[start...]) }
        return units
    }
}
