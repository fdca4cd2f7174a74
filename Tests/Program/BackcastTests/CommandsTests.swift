import ArgumentParser
import TestSupport
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

    @Test(
        "completion scripts name every command, and bash can read its own",
        arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let script = BackcastMain.completionScript(for: try #require(CompletionShell(rawValue: shell)))
        for command in BackcastMain.configuration.subcommands {
            #expect(script.contains(try #require(command.configuration.commandName)))
        }
        for word in ["listen", "quality", "revoke"] { #expect(script.contains(word), "\(word)") }
        guard shell == "bash" else { return }
        let folder = try TemporaryFolder("completion")
        try await Command.run("/bin/bash", ["-n", try folder.write(script, to: "backcast")])
    }
}
