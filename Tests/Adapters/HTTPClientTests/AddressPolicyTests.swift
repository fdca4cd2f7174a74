import Testing

@testable import HTTPClient

struct AddressPolicyTests {
    private func refusal(
        _ policy: AddressPolicy, _ host: String, _ address: String, port: UInt16 = 80,
        isThisMachine: Bool = false,
        fromPublic: Bool = false,
    ) throws -> AddressRefusal? {
        let address = try #require(IPAddress(address))
        return policy.refusal(
            of: Endpoint(host: host, address: address, port: port, isThisMachine: isThisMachine),
            fromPublic: fromPublic)
    }

    @Test(
        "Without a list any host may be a source, but not link-local and metadata addresses",
        arguments: [
            ("8.8.8.8", nil), ("127.0.0.1", nil), ("192.168.1.5", nil), ("::1", nil),
            ("169.254.7.7", AddressRefusal.linkLocal), ("fe80::1", .linkLocal),
            ("169.254.169.254", .metadata),
            ("::ffff:169.254.169.254", .metadata), ("224.0.0.1", .multicast),
        ])
    func defaults(address: String, expected: AddressRefusal?) throws {
        #expect(try refusal(AddressPolicy(), "a.example", address) == expected)
    }

    @Test("A name whose address only a proxy knows is checked against the listed names") func proxied() throws
    {
        #expect(AddressPolicy().allows(name: "a.example"))
        let policy = AddressPolicy(allowList: try AllowList.reading("*.example,10.0.0.0/8"))
        #expect(policy.allows(name: "a.example") && !policy.allows(name: "metadata.internal"))
    }

    @Test(
        "A public source does not lead to a private address",
        arguments: [
            ("8.8.8.8", nil), ("127.0.0.1", AddressRefusal.privateFromPublic),
            ("10.0.0.1", .privateFromPublic),
            ("::ffff:192.168.0.1", .privateFromPublic), ("fd12::1", .privateFromPublic),
            ("::ffff:0:8.8.8.8", .privateFromPublic), ("5::1", .privateFromPublic),
            ("100.64.0.9", .privateFromPublic), ("169.254.169.254", .metadata),
        ])
    func publicToPrivate(address: String, expected: AddressRefusal?) throws {
        #expect(try refusal(AddressPolicy(), "a.example", address, fromPublic: true) == expected)
    }

    @Test(
        "The service's own port is refused on this machine only",
        arguments: [
            ("127.0.0.1", 8080, false, AddressRefusal.ownPort), ("::1", 8080, false, .ownPort),
            ("0.0.0.0", 8080, false, .ownPort), ("10.0.0.9", 8080, true, .ownPort),
            ("10.0.0.9", 8080, false, nil), ("127.0.0.1", 8081, true, nil),
        ])
    func ownPort(address: String, port: UInt16, isThisMachine: Bool, expected: AddressRefusal?) throws {
        let policy = AddressPolicy(ownPorts: [8080])
        #expect(try refusal(policy, "x", address, port: port, isThisMachine: isThisMachine) == expected)
    }

    @Test(
        "With a list only its entries are allowed",
        arguments: [
            ("tv.example", "8.8.8.8", nil), ("TV.example.", "8.8.8.8", nil),
            ("a.cdn.example", "8.8.4.4", nil),
            ("cdn.example", "8.8.4.4", AddressRefusal.notAllowed),
            ("evilcdn.example", "8.8.4.4", .notAllowed),
            ("other.example", "8.8.8.8", .notAllowed), ("anything", "10.1.2.3", nil),
            ("anything", "::ffff:10.1.2.3", nil), ("anything", "10.2.0.1", .notAllowed),
            ("tv.example", "169.254.169.254", .metadata), ("anything", "169.254.9.9", nil),
        ])
    func allowList(host: String, address: String, expected: AddressRefusal?) throws {
        let list = try AllowList.reading("tv.example, *.cdn.example 10.1.0.0/16,169.254.9.9")
        #expect(try refusal(AddressPolicy(allowList: list), host, address) == expected)
    }

    @Test("A listed host is still checked for private addresses, a listed network is not")
    func namesAreNotAddresses() throws {
        let policy = AddressPolicy(allowList: try AllowList.reading("tv.example,192.168.7.0/24"))
        #expect(try refusal(policy, "tv.example", "192.168.8.1", fromPublic: true) == .privateFromPublic)
        #expect(try refusal(policy, "tv.example", "192.168.7.1", fromPublic: true) == nil)
    }

    @Test("An allowed network does not allow the service itself")
    func ownPortBeforeList() throws {
        let policy = AddressPolicy(allowList: try AllowList.reading("127.0.0.0/8"), ownPorts: [8080])
        #expect(try refusal(policy, "localhost", "127.0.0.1", port: 8080) == .ownPort)
    }

    @Test("An empty list allows nothing")
    func emptyList() throws {
        #expect(try refusal(AddressPolicy(allowList: AllowList()), "a", "8.8.8.8") == .notAllowed)
    }

    @Test(
        "An invalid entry of a list is named in the error",
        arguments: [
            "a.*.example", "*", "*.", "10.0.0.0/40", "http://a/", "%%%", "host:80", "a..b", ".a", "-a", "a-",
            "10.0.0.300", "1.2.3", "*.10.0.0.1", "user@host", "a\u{E9}.example", "10.0.0.0/", "::g",
            String(repeating: "a", count: 64),
        ])
    func badEntries(entry: String) {
        #expect(throws: AllowListError.badEntry(entry)) { try AllowList.reading("ok.example,\(entry)") }
    }

    @Test(
        "Names, suffixes, addresses and networks are entries",
        arguments: [
            "localhost", "tv_origin", "4k.example.", "*.Xn--Bcher-Kva.example", "192.168.0.1", "::1",
            "[fd00::1]",
            "fd00::/8", "0.0.0.0/0", "*.example",
        ])
    func goodEntries(entry: String) throws {
        let list = try AllowList.reading(entry)
        #expect(list.hosts.count + list.networks.count == 1)
    }

    @Test(
        "Host patterns compare whole labels without case",
        arguments: [
            ("a.example", "A.Example", true), ("a.example", "a.example.", true),
            ("a.example", "b.a.example", false),
            ("*.example", "a.example", true), ("*.example", "a.b.example", true),
            ("*.example", "example", false),
            ("*.example", "aexample", false), ("::1", "[::1]", true), ("127.0.0.1", "127.0.0.1", true),
        ])
    func patterns(pattern: String, host: String, matches: Bool) throws {
        #expect(try #require(HostPattern(pattern)).matches(host) == matches)
    }
}
