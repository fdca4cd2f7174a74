import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Access
@testable import ViewerAPI

/// What a token opens that is for a part of the time.
extension TokenTests {
    /// A recording for viewers who need a token.
    private func protecting(
        _ recording: Recording, _ body: (ViewerFixture) async throws -> Void
    ) async throws {
        try await ViewerFixture.with(secrets: [Self.secret]) { viewer async throws in
            try await viewer.record(recording)
            try await viewer.api.access.read(isWhole: true)
            try await body(viewer)
        }
    }

    @Test("In the Xtream Codes API live is a playlist for a token with an end, whatever the app asks for")
    func xtreamEnd() async throws {
        try await protecting(Recording()) { viewer async throws in
            viewer.clock.now = at(40)
            let host: HTTPHeaders = ["Host": "tv.example"]
            for (grant, file, formats) in [
                (Self.grant("cctv2", from: 0, to: 200_000), "index.m3u8", #"["m3u8"]"#),
                (Self.grant("cctv2", from: 0), "timeshift_rel-0.ts", #"["m3u8","ts"]"#),
            ] {
                let token = try Self.prefix(grant).dropFirst(3)
                let moved = try await viewer.get("/live/me/\(token)/cctv2.ts")
                #expect(moved.headers["Location"] == "../../../t/\(token)/live/cctv2/\(file)")
                #expect(await viewer.begun("/t/\(token)/live/cctv2/\(file)").status == .ok)
                let player = try await viewer.get("/player_api.php?password=\(token)", host)
                #expect(player.text.contains(#""allowed_output_formats":\#(formats)"#))
            }
        }
    }
}
