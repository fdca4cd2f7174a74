import Postgres
import Testing
import Timeline

@testable import Catalogue

/// A time at which all quarters of these tests are finished.
private let end = midnight + day

@Suite("Size limits")
struct SizesTests {
    @Test(
        "The cut by size leaves as many segments as the limit allows",
        arguments: [
            (450_000, nil), (449_999, 4), (225_000, nil), (224_000, 904), (1_000, 1_796), (999, nil),
            (0, nil),
        ] as [(Int64, Int64?)])
    func cut(limit: Int64, expected: Int64?) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<450, on: recording)
            let cut = try await test.catalogue.cut(of: recording.row, keepingBytes: limit)
            if limit == 450_000 {
                #expect(cut == nil)
                return
            }
            if let expected { #expect(cut == midnight + expected * second) }
            try await test.catalogue.expire(recording.channel, before: try #require(cut), graceSeconds: 0)
            #expect(try await test.held(recording).count == Int(limit / 1000))
            #expect(try await test.catalogue.cut(of: recording.row, keepingBytes: limit) == nil)
        }
    }

    /// The newest two of ten segments have better bytes: with them they are 20,000 bytes.
    @Test(
        "First bytes and better ones count, in whole quarters and in the one that the cut divides",
        arguments: [(28_000, nil), (27_999, 4), (27_000, 4), (21_000, 28), (19_999, 36)]
            as [(Int64, Int64?)])
    func repairs(limit: Int64, expected: Int64?) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<10, on: recording)
            let better = (Int64(8)..<10).map { number in
                var fact = recording.fact(number, bytes: 9_000)
                (fact.revision, fact.replaces) = (1, 0)
                return DecidedSegment.archived(fact)
            }
            _ = try await test.catalogue.commit(recording.batch(better))
            let cut = try await test.catalogue.cut(of: recording.row, keepingBytes: limit)
            #expect(cut == expected.map { midnight + $0 * second })
            #expect(try await test.number("SELECT sum(bytes)::bigint FROM block") == 28_000)
        }
    }

    @Test("All renditions of a channel count together, without other channels and kept segments")
    func counting() async throws {
        try await withCatalogue { test in
            let (recording, other) = (
                try await ChannelRecording("one", in: test), try await ChannelRecording("two", in: test)
            )
            try await test.publish(0..<10, on: recording)
            try await test.publish(0..<10, of: audio, on: recording)
            try await test.publish(0..<10, on: other)
            let cut = try await test.catalogue.cut(of: recording.row, keepingBytes: 10_000)
            #expect(cut == midnight + 20 * second)
            _ = try await test.pool.query(
                """
                INSERT INTO recording (channel_id, begin_us, end_us)
                VALUES (\(recording.row), 0, 9000000000000000)
                """
            )
            try await test.catalogue.expire(
                recording.channel, before: midnight + 20 * second, graceSeconds: 0)
            #expect(try await test.held(recording).count == 10)
            let again = try await test.catalogue.cut(of: recording.row, keepingBytes: 6_000)
            #expect(again == midnight + 28 * second)
        }
    }

    @Test("The oldest quarter is that of all channels, deleted ones too, and expiring it leads to the next")
    func oldest() async throws {
        try await withCatalogue { test in
            let (one, two) = (
                try await ChannelRecording("one", in: test), try await ChannelRecording("two", in: test)
            )
            try await test.publish(225..<451, on: one)
            try await test.publish(0..<1, on: two)
            try await test.catalogue.delete(two.channel.id)
            var ends: [String] = []
            while let oldest = try await test.catalogue.oldestQuarter(finishedBy: end), ends.count < 10 {
                ends.append("\(oldest.channel) \((oldest.end - midnight) / minute)")
                try await test.expire(oldest)
            }
            #expect(ends == ["two 15", "one 30", "one 45"])
        }
    }

    @Test("A channel whose settings cannot be read still expires, and one without a valid id is passed over")
    func unreadable() async throws {
        try await withCatalogue { test in
            let one = try await ChannelRecording("one", in: test)
            let two = try await ChannelRecording("two", in: test)
            let odd = try await ChannelRecording("odd", in: test)
            try await test.publish(0..<1, on: odd)
            try await test.publish(225..<226, on: one)
            try await test.publish(450..<451, on: two)
            _ = try await test.pool.query(
                "UPDATE channel SET settings = '{}' WHERE channel_id = \(one.row)")
            _ = try await test.pool.query(
                "UPDATE channel SET slug = 'no id' WHERE channel_id = \(odd.row)")
            var ends: [String] = []
            while let oldest = try await test.catalogue.oldestQuarter(finishedBy: end), ends.count < 10 {
                ends.append("\(oldest.channel) \((oldest.end - midnight) / minute)")
                try await test.expire(oldest)
            }
            #expect(ends == ["one 30", "two 45"])
        }
    }

    @Test("A quarter that its channel still records is passed over, however far ahead another channel is")
    func unfinished() async throws {
        try await withCatalogue { test in
            let ahead = try await ChannelRecording("ahead", in: test)
            let late = try await ChannelRecording("late", in: test)
            try await test.publish(225..<451, on: ahead)
            try await test.publish(0..<10, on: late)
            // The host's clock may say 1970.
            for (now, expected) in [(0, "ahead 30"), (14, "ahead 30"), (16, "late 15")] {
                let oldest = try await test.catalogue.oldestQuarter(
                    finishedBy: now == 0 ? Instant(microseconds: 0) : midnight + Int64(now) * minute)
                #expect(oldest.map { "\($0.channel) \(($0.end - midnight) / minute)" } == expected)
            }
            #expect(
                try await test.catalogue.oldestQuarter(
                    finishedBy: midnight, passingOver: [ahead.channel.id]) == nil)
        }
    }

    @Test("Quarters with only kept segments are skipped")
    func keptQuarters() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<500, on: recording)
            _ = try await test.pool.query(
                """
                INSERT INTO recording (channel_id, begin_us, end_us)
                VALUES (\(recording.row), 0, \((midnight + 20 * minute).microseconds))
                """)
            var rounds = 0
            while let oldest = try await test.catalogue.oldestQuarter(finishedBy: end), rounds < 10 {
                rounds += 1
                try await test.expire(oldest)
            }
            #expect(rounds == 3)
            #expect(try await test.held(recording).count == 300)
        }
    }
}

extension TestCatalogue {
    /// Expires a quarter.
    fileprivate func expire(_ quarter: OldestQuarter) async throws {
        try await catalogue.expire(
            quarter.channel, row: quarter.row, before: quarter.end, graceSeconds: 0)
    }
}
