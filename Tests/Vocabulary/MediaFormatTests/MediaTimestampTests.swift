import MediaFormat
import Testing

struct MediaTimestampTests {
    @Test("MPEG times have 33 bits and wrap")
    func mpeg() {
        let before = MediaTimestamp(mpeg: (1 << 33) - 45_000)
        let after = MediaTimestamp(mpeg: (1 << 33) + 45_000)
        #expect(after.value == 45_000)
        #expect(after.microseconds(since: before) == 1_000_000)
        #expect(before.microseconds(since: after) == -1_000_000)
    }

    @Test("Times of tracks do not wrap, and have differences in one timescale only")
    func track() throws {
        let start = try #require(MediaTimestamp(track: 0, timescale: 48000))
        let later = try #require(MediaTimestamp(track: 72000, timescale: 48000))
        #expect(later.microseconds(since: start) == 1_500_000)
        #expect(start.microseconds(since: later) == -1_500_000)
        #expect(later.microseconds(since: MediaTimestamp(mpeg: 0)) == nil)
        #expect(MediaTimestamp(track: 1, timescale: 0) == nil)
    }

    @Test("All times convert to 90 kHz")
    func ticks() throws {
        #expect(MediaTimestamp(mpeg: 45_000).mpegTicks == 45_000)
        #expect(try #require(MediaTimestamp(track: 72_000, timescale: 48_000)).mpegTicks == 135_000)
        let long = try #require(MediaTimestamp(track: 1 << 40, timescale: 90_000))
        #expect(long.mpegTicks == 1 << 40)
        #expect(try #require(MediaTimestamp(track: .max, timescale: 1)).mpegTicks == nil)
    }

    @Test("A result beyond 63 bits of microseconds is nil and does not trap")
    func overflow() throws {
        let start = try #require(MediaTimestamp(track: 0, timescale: 1))
        let end = try #require(MediaTimestamp(track: .max, timescale: 1))
        #expect(end.microseconds(since: start) == nil)
        #expect(start.microseconds(since: end) == nil)
    }
}
