/// Options of ffmpeg that several of its commands have.
package enum FFmpegOptions {
    /// How much of its input ffmpeg reads before it decides which tracks there are.
    ///
    /// By itself it reads five megabytes or five seconds; `byteCount` bytes have all tracks.
    package static func probing(byteCount: Int) -> [String] {
        ["-probesize", "\(max(byteCount, 5_000_000))", "-analyzeduration", "600000000"]
    }

    /// Gives HEVC of a transport stream the name with which Apple's players open it; in fMP4 it has a name.
    package static let hevcTag = ["-tag:v:0", "hvc1"]
}
