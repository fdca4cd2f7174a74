/// The playlist that ffmpeg writes for one rendition: its own numbers, durations and file names.
struct EncoderPlaylist: Equatable {
    struct Entry: Equatable {
        var index: Int
        var durationSeconds: Double
        var file: String
    }

    var entries: [Entry] = []
    /// The file of the initialization section; ffmpeg adds the stream's number to its name.
    var initialization: String?

    /// Reads the few tags that ffmpeg writes and skips others.
    init(_ text: String) {
        var index = 0
        var duration: Double?
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#EXT-X-MEDIA-SEQUENCE:") {
                index = Int(line.dropFirst("#EXT-X-MEDIA-SEQUENCE:".count)) ?? 0
            } else if line.hasPrefix("#EXT-X-MAP:URI=\"") {
                initialization = String(line.dropFirst("#EXT-X-MAP:URI=\"".count).prefix { $0 != "\"" })
            } else if line.hasPrefix("#EXTINF:") {
                duration = Double(line.dropFirst("#EXTINF:".count).prefix { $0 != "," })
            } else if !line.hasPrefix("#"), let seconds = duration {
                entries.append(Entry(index: index, durationSeconds: seconds, file: String(line)))
                index += 1
                duration = nil
            }
        }
    }
}
