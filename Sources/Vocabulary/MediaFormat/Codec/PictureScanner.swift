/// Tells from the first bytes of a picture whether it can be decoded alone; keeps none of them.
struct PictureScanner {
    enum Codec: String {
        case h264
        case hevc
    }

    private enum Step {
        case startCode
        case unitHeader
        case sliceHeader
    }

    private let codec: Codec
    /// Whether the container marks the picture as a random access point, or a parameter set precedes it.
    private var isEntry: Bool
    private var step = Step.startCode
    private var last: UInt32 = .max
    private var scannedByteCount = 0

    init(codec: Codec, isMarked: Bool) {
        (self.codec, isEntry) = (codec, isMarked)
    }

    /// Takes the next bytes; nil until the first slice has come.
    mutating func scan(_ bytes: Span<UInt8>) -> Bool? {
        for index in 0..<bytes.count {
            let byte = bytes[index]
            switch step {
            case .startCode:
                last = last << 8 | UInt32(byte)
                if last & 0xFF_FFFF == 1 { step = .unitHeader }
            case .unitHeader:
                step = .startCode
                last = .max
                if let answer = codec == .h264 ? h264Answer(byte) : Self.hevcAnswer(byte) { return answer }
            case .sliceHeader:
                // first_mb_in_slice is 0, which is one bit; then slice_type 2 or 7 (ITU-T H.264 §7.3.3).
                return byte & 0xF0 == 0xB0 || byte == 0x88
            }
        }
        scannedByteCount += bytes.count
        return scannedByteCount > Limits.pictureHeadByteCount ? false : nil
    }

    /// IDR (5) is a key frame; another slice (1) is one if it is intra and the picture is an entry point, as
    /// in open groups of pictures.
    private mutating func h264Answer(_ header: UInt8) -> Bool? {
        switch header & 0x1F {
        case 5: return true
        case 7: isEntry = true
        case 1 where isEntry: step = .sliceHeader
        case 1, 2: return false
        default: break
        }
        return nil
    }

    /// Intra random access pictures are types 16 to 23, others 0 to 9 (ITU-T H.265 table 7-1).
    private static func hevcAnswer(_ header: UInt8) -> Bool? {
        switch header >> 1 & 0x3F {
        case 16...23: true
        case 0...9: false
        default: nil
        }
    }
}
