import ArgumentParser
import Foundation

extension Container: ExpressibleByArgument {}
extension AudioPlacement: ExpressibleByArgument {}
extension ChannelOptions.Encryption: ExpressibleByArgument {}

/// Options that both modes share.
struct OriginOptions: ParsableArguments {
    @Option(help: "Address to listen on.")
    var address = "127.0.0.1"

    @Option(help: "Port to listen on; 0 lets the kernel choose.")
    var port = 0

    @Option(help: "Folder for what the encoder makes.")
    var folder: String

    @Option(help: "File that gets a line per published segment; ledger.jsonl in the folder unless given.")
    var ledger: String?

    @Option(help: "Video renditions, 1 or 3.")
    var variants = 1

    @Option(help: "Container of the segments: ts or fmp4.")
    var container = Container.ts

    @Option(help: "Where the audio is: muxed or separate.")
    var audio = AudioPlacement.muxed

    @Option(help: "Length of a segment, a multiple of 0.04.")
    var segmentSeconds = 4.0

    @Option(help: "Bit rate of the largest video; each smaller one has half of the one before.")
    var bitsPerSecond: Int?

    @Option(help: "Seconds that a playlist lists.")
    var listSeconds = 30.0

    @Flag(inversion: .prefixedNo, help: "Write program dates.")
    var dates = true

    @Option(help: "Encryption of the segments: none or aes-128.")
    var encrypt = ChannelOptions.Encryption.none

    @Option(help: "Segments per key.")
    var rotate: Int?

    @Flag(help: "State the IV instead of leaving it to the media sequence number.")
    var explicitIV = false

    @Flag(help: "Add a WebVTT rendition with a cue per segment.")
    var subtitles = false

    @Option(help: "Announce a break every so many segments, by EXT-X-DATERANGE and cue tags.")
    var breakEvery: Int?

    @Flag(help: "Name closed captions in the multivariant playlist.")
    var captions = false

    mutating func validate() throws {
        let frames = segmentSeconds * Double(Layout.framesPerSecond)
        try require(segmentSeconds >= 0.4 && segmentSeconds <= 60, "segment-seconds: from 0.4 to 60")
        try require(abs(frames - frames.rounded()) < 1e-6, "segment-seconds: a multiple of 0.04")
        try require(variants == 1 || variants == 3, "variants: 1 or 3")
        try require((0...65_535).contains(port), "port: from 0 to 65535")
        try require(listSeconds > 0 && listSeconds <= 86_400, "list-seconds: above 0, at most a day")
        try require(
            (50_000...100_000_000).contains(bitsPerSecond ?? 50_000), "bits-per-second: 50 kb/s to 100 Mb/s")
        try require((rotate ?? 1) >= 1, "rotate: at least 1")
        try require(
            breakEvery.map { $0 > Breaks.segments + 1 && dates } ?? true, "break-every: from 4, with dates")
    }

    private func require(_ isMet: Bool, _ reason: String) throws {
        guard isMet else { throw ValidationError("--" + reason) }
    }

    var ledgerPath: String { ledger ?? "\(folder)/ledger.jsonl" }

    /// The options of a channel; bit rates of the mode unless given.
    func channel(defaultBitsPerSecond: Int) -> ChannelOptions {
        let layout = Layout(
            container: container, audio: audio, variants: variants,
            bitsPerSecond: bitsPerSecond ?? defaultBitsPerSecond, hasSubtitles: subtitles)
        var options = ChannelOptions(layout: layout, segmentSeconds: segmentSeconds)
        options.listSeconds = listSeconds
        options.hasDates = dates
        options.encryption = encrypt
        options.rotation = rotate
        options.hasExplicitIV = explicitIV
        options.breaks = breakEvery.map { Breaks(every: $0) }
        options.hasCaptions = captions
        return options
    }

    func prepareFolder() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
}
