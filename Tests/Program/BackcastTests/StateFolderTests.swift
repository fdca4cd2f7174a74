import Foundation
import TestSupport
import Testing

@testable import Backcast

@Suite("The state folder")
struct StateFolderTests {
    @Test("folder and token are private, and the token stays the same")
    func token() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "deep/state")
        let first = try StateFolder.open(path).adminToken()
        #expect(first.isNew)
        // 32 bytes are 43 characters of base64url (RFC 4648 §5).
        #expect(first.token.revealed.count == 43)
        #expect(try mode(path) == 0o700)
        #expect(try mode(path + "/admin-token") == 0o600)
        let second = try StateFolder.open(path).adminToken()
        #expect(!second.isNew)
        #expect(second.token == first.token)
    }

    @Test("a token file that others may read is closed to them")
    func restored() throws {
        let folder = try TemporaryFolder()
        let token = "a-token-of-this-test-0001"
        try folder.write(token + "\n", to: "admin-token")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.path(of: "admin-token"))
        #expect(try StateFolder.open(folder.path).adminToken().token == Secret(token))
        #expect(try mode(folder.path(of: "admin-token")) == 0o600)
    }

    @Test(
        "a file without a token that is hard to guess is an error",
        arguments: ["", "\n", "two words", "a-short-one", "change-me-to-a-long-random-text"])
    func noToken(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "admin-token")
        #expect(throws: ProgramError.self) { try StateFolder.open(folder.path).adminToken() }
    }

    @Test("a link in the place of the token is not followed")
    func link() throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("abc", to: "elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "admin-token"), withDestinationPath: target)
        #expect(throws: ProgramError.self) { try StateFolder.open(folder.path).adminToken() }
    }

    @Test("the node's name is a UUID that stays")
    func node() throws {
        let folder = try TemporaryFolder()
        let first = try StateFolder.open(folder.path).nodeIdentifier()
        #expect(UUID(uuidString: first) != nil)
        #expect(try StateFolder.open(folder.path).nodeIdentifier() == first)
        try folder.write("no uuid", to: "node-id")
        #expect(throws: ProgramError.self) { try StateFolder.open(folder.path).nodeIdentifier() }
    }

    @Test("one process holds a folder at a time")
    func lock() throws {
        let folder = try TemporaryFolder()
        let held = try StateFolder.open(folder.path)
        #expect(throws: ProgramError.self) { try StateFolder.open(folder.path) }
        withExtendedLifetime(held) {}
    }

    @Test("a folder that cannot be made names its setting")
    func unmakeable() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let error = #expect(throws: ProgramError.self) { try StateFolder.open(folder.path(of: "file/state")) }
        #expect(error?.description.hasPrefix("BACKCAST_STATE") == true)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
