import ArgumentParser
import Testing

@testable import Backcast

@Suite("Commands")
struct CommandsTests {
    @Test("each role is a command", arguments: Role.allCases)
    func roles(role: Role) throws {
        let command = try BackcastMain.parseAsRoot([role.rawValue, "--listen", ":1"])
        let parsed = try #require(command as? any RoleCommand)
        #expect(type(of: parsed).role == role)
        #expect(parsed.flags.values == [.listen: ":1"])
    }

    @Test("the version is told")
    func version() {
        #expect(BackcastMain.configuration.version == Version.text)
    }

    @Test("an unknown flag is refused")
    func unknownFlag() {
        #expect(throws: (any Error).self) { try BackcastMain.parseAsRoot(["run", "--bogus", "1"]) }
    }
}
