import Foundation
import TestSupport
import Testing
import Timeline

@testable import Journal

@Suite("Resume points")
struct ResumePointTests {
    private static func point(_ version: Int64 = 1) throws -> ResumePoint {
        ResumePoint(
            row: 7,
            settings: ChannelSettings(
                id: try news(), title: "News", sources: [SourceSettings(url: "http://origin.test/")],
                retentionSeconds: nil),
            version: version, fence: 3, end: start, targetSeconds: 4,
            renditions: [RenditionDescription(id: RenditionID(kind: .video, index: 0))], sourceRun: nil)
    }

    @Test("are there after a restart, replaced as a whole, and gone when they are removed")
    func stored() async throws {
        let folder = JournalFolder()
        #expect(try await folder.run { try await $0.resumePoint() } == nil)
        for version in Int64(1)...2 {
            let point = try Self.point(version)
            try await folder.run { try await $0.store(point) }
            #expect(try await folder.run { try await $0.resumePoint() } == point)
            let journal = try folder.open()
            #expect(try await journal.resumePoints() == [point])
            await journal.close()
        }
        try await folder.run { try await $0.removeResumePoint() }
        #expect(try folder.files().isEmpty)
    }

    @Test("get the renditions and source runs that are appended")
    func appended() async throws {
        let folder = JournalFolder()
        var description = RenditionDescription(id: RenditionID(kind: .audio, index: 0))
        description.language = "de"
        try await folder.run { journal in
            _ = try await journal.append([sourceRun(1)])
            #expect(try await journal.resumePoint() == nil, "without a lease there is none")
            try await journal.store(try Self.point())
            _ = try await journal.append([.rendition(description), sourceRun(5), try segment(1)])
            _ = try await journal.append([sourceRun(4)])
        }
        let point = try #require(try await folder.run { try await $0.resumePoint() })
        #expect(point.renditions.map(\.id.description) == ["v0", "a0"])
        #expect(point.renditions.last == description)
        #expect(point.sourceRun?.id == 5)
    }

    @Test("say which run was recorded last, be it not the newest; those of older versions do not")
    func lastRun() async throws {
        let folder = JournalFolder()
        var point = try Self.point()
        (point.sourceRun, point.lastRun) = (try run(9), try run(2))
        let stored = point
        try await folder.run { try await $0.store(stored) }
        #expect(try await folder.run { try await $0.resumePoint() } == stored)
        (point.sourceRun, point.lastRun) = (nil, nil)
        let older = try JSONEncoder().encode(point)
        #expect(!String(decoding: older, as: UTF8.self).contains("lastRun"))
        #expect(try JSONDecoder().decode(ResumePoint.self, from: older).lastRun == nil)
    }

    private func run(_ id: Int64) throws -> SourceRun {
        guard case .sourceRun(let run) = sourceRun(id) else { throw TestFailure("no run") }
        return run
    }

    @Test("that cannot be read count as none")
    func unreadable() async throws {
        let folder = JournalFolder()
        try await folder.run { try await $0.store(try Self.point()) }
        try folder.write(Array("{".utf8), to: "resume.json")
        #expect(try await folder.run { try await $0.resumePoint() } == nil)
    }
}
