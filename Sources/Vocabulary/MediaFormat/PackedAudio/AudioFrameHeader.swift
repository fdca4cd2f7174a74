/// The header of one frame of packed audio.
struct AudioFrameHeader: Equatable {
    /// Bytes that suffice to read any header.
    static let byteCount = 7

    var kind: PackedAudioKind
    /// Length of the frame in bytes, including the header, at least the bytes that were read; nil for MP3 in
    /// free format.
    var frameByteCount: Int?
    /// Samples per channel; 0 for a frame that extends another one of the same time.
    var sampleCount: Int
    /// In hertz; at least 1.
    var sampleRate: Int
    /// Of AAC, whose decoder must be told of another number; nil if it is not known.
    var audioChannels: Int?
    /// As CODECS has it (RFC 6381).
    var codecString: String

    /// Reads the header that the bytes begin with, of any of the formats.
    init?(reading bytes: ArraySlice<UInt8>) {
        guard let found = ADTSHeader.read(bytes) ?? MPEGAudioHeader.read(bytes) ?? AC3Header.read(bytes)
        else { return nil }
        self = found
    }

    init(kind: PackedAudioKind, frameByteCount: Int?, sampleCount: Int, sampleRate: Int, codecString: String)
    {
        self.kind = kind
        self.frameByteCount = frameByteCount
        self.sampleCount = sampleCount
        self.sampleRate = sampleRate
        self.codecString = codecString
    }
}
