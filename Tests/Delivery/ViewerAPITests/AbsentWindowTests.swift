import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

/// Windows in which nothing is recorded.
@Suite(.serialized) struct AbsentWindowTests {
    @Test(
        "A window before the first recording, whose open end is cut, asks the catalogue once",
        arguments: ["", "&mode=event"])
    func openEnd(form: String) async throws {
        try await ViewerFixture.with(maxWindowSeconds: 20) { viewer in
            try await viewer.record(Recording())
            viewer.clock.now = at(60)
            // The channel and its head are read every two seconds, whatever is asked for.
            viewer.clock.slowDown()
            let path = "/live/cctv2/index.m3u8?begintime=\(at(-3600).milliseconds)\(form)"
            let first = try await viewer.get(path)
            #expect(first.isProblem(404) && first.headers["Backcast-Next"] == nil)
            #expect((first.problem["available"] as? [Any])?.count == 1)
            let before = viewer.catalogue.pool.statementCount
            for _ in 0..<100 { #expect(try await viewer.get(path).status == 404) }
            #expect(viewer.catalogue.pool.statementCount == before)
        }
    }
}
