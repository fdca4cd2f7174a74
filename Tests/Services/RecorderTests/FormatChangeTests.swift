import Catalogue
import Testing
import Timeline

@testable import Recorder

@Suite("A source that changes its format and does not say so")
struct FormatChangeTests {
    private static var format: SegmentFormat {
        var format = SegmentFormat(
            container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.64001f,mp4a.40.2")
        (format.width, format.height, format.sampleRate, format.audioChannels) = (1280, 720, 48_000, 2)
        return format
    }

    /// The discontinuity sequences of three segments, of which the last two have the changed format.
    private func sequences(_ change: (inout SegmentFormat) -> Void) -> [Int32] {
        var stage = PublisherStage(video(0))
        for number in 0..<3 {
            var fact = PublisherStage.fact(video(0), Double(number) * 6)
            fact.format = Self.format
            if number > 0 { change(&fact.format) }
            stage.list(video(0), Double(number) * 6)
            stage.publisher.stored(fact, now: moment(Double(number)))
            stage.advance(to: Double(number))
        }
        if stage.discontinuityStarts.count > 1 {
            #expect(stage.discontinuityStarts.map(\.cause) == [.start, .format])
            #expect(stage.discontinuityStarts[1].begin == at(6))
        }
        return stage.published(video(0)).map(\.sequence)
    }

    @Test("Another picture size, profile, sample rate or number of audio channels is a boundary")
    func changed() {
        #expect(sequences { ($0.width, $0.height) = (1920, 1080) } == [0, 1, 1])
        #expect(sequences { $0.height = 576 } == [0, 1, 1])
        #expect(sequences { $0.codecs = "avc1.4d401f,mp4a.40.2" } == [0, 1, 1])
        #expect(sequences { $0.sampleRate = 44_100 } == [0, 1, 1])
        #expect(sequences { $0.audioChannels = 6 } == [0, 1, 1])
    }

    @Test("What is not known is no change, and keys may change")
    func unknown() {
        #expect(sequences { _ in } == [0, 0, 0])
        #expect(sequences { $0.removeDetails() } == [0, 0, 0])
        #expect(sequences { ($0.keyMethod, $0.keyName) = ("AES-128", "k") } == [0, 0, 0])
    }

    @Test("What a segment does not say is taken from the one before, so that a later change is still seen")
    func completed() {
        var progress = ChannelProgress(choice: .auto)
        _ = progress.completed(Self.format, of: video(0))
        var silent = Self.format
        silent.removeDetails()
        #expect(progress.completed(silent, of: video(0)) == Self.format)
    }
}

extension SegmentFormat {
    /// Leaves what the tables say.
    fileprivate mutating func removeDetails() {
        (width, height, codecs) = (0, 0, "")
        (sampleRate, audioChannels) = (nil, nil)
    }
}
