import Testing

@testable import HTTPClient

struct AddressKindTests {
    @Test(
        "Every special range is known by its own name",
        arguments: [
            ("127.0.0.1", AddressKind.loopback), ("127.255.255.254", .loopback), ("0.0.0.0", .loopback),
            ("::1", .loopback), ("::", .loopback),
            ("169.254.1.1", .linkLocal), ("fe80::1", .linkLocal), ("febf::1%eth0", .linkLocal),
            ("169.254.169.254", .metadata), ("fd00:ec2::254", .metadata), ("fd20:ce::254", .metadata),
            ("169.254.170.2", .metadata), ("169.254.170.23", .metadata), ("fd00:ec2::23", .metadata),
            ("100.100.100.200", .metadata), ("192.0.0.192", .metadata), ("168.63.129.16", .metadata),
            ("224.0.0.1", .multicast), ("239.255.255.255", .multicast), ("255.255.255.255", .multicast),
            ("ff02::1", .multicast),
            ("10.0.0.1", .private), ("172.16.0.1", .private), ("172.31.255.255", .private),
            ("192.168.1.1", .private), ("100.64.0.1", .private), ("192.0.0.1", .private),
            ("198.18.0.1", .private),
            ("192.0.2.1", .private), ("198.51.100.1", .private), ("203.0.113.1", .private),
            ("240.0.0.1", .private),
            ("fc00::1", .private), ("fdff::1", .private), ("fec0::1", .private), ("64:ff9b:1::1", .private),
            ("100::1", .private), ("2001::1", .private), ("2001:db8::1", .private),
            ("8.8.8.8", .public), ("172.15.255.255", .public), ("172.32.0.0", .public),
            ("100.128.0.0", .public),
            ("192.167.255.255", .public), ("2606:4700::1111", .public), ("2a00::1", .public),
        ])
    func kinds(text: String, kind: AddressKind) throws {
        #expect(try #require(IPAddress(text)).kind == kind)
    }

    @Test(
        "IPv4 inside IPv6 is checked as an IPv4 address",
        arguments: [
            ("::ffff:127.0.0.1", AddressKind.loopback), ("::ffff:7f00:1", .loopback),
            ("::127.0.0.1", .loopback),
            ("::ffff:169.254.169.254", .metadata), ("::ffff:10.1.2.3", .private),
            ("64:ff9b::a9fe:a9fe", .metadata),
            ("64:ff9b::10.0.0.1", .private), ("2002:7f00:1::", .loopback), ("2002:a00:1::1", .private),
            ("::ffff:8.8.8.8", .public), ("64:ff9b::8.8.8.8", .public), ("2002:808:808::1", .public),
        ])
    func embedded(text: String, kind: AddressKind) throws {
        #expect(try #require(IPAddress(text)).kind == kind)
    }

    @Test(
        "Text that is not a numeric address gives nil",
        arguments: [
            "", "localhost", "1.2.3", "256.1.1.1", "2130706433", "0x7f.1", "1.2.3.4.5", ":::1", "[::1]",
        ])
    func refusedText(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "An address is written in its canonical form (RFC 5952)",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("255.0.10.1", "255.0.10.1"), ("2001:DB8:0:0::1", "2001:db8::1"),
        ])
    func written(text: String, canonical: String) throws {
        #expect(try #require(IPAddress(text)).description == canonical)
    }

    @Test(
        "A network holds its first and last address and not their neighbours",
        arguments: [
            ("10.0.0.0/8", "10.0.0.0", true), ("10.0.0.0/8", "10.255.255.255", true),
            ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "9.255.255.255", false),
            ("0.0.0.0/0", "255.1.2.3", true), ("0.0.0.0/0", "::1", false), ("1.2.3.4", "1.2.3.4", true),
            ("1.2.3.4/32", "1.2.3.5", false), ("fe80::/10", "febf:ffff::1", true),
            ("fe80::/10", "fec0::", false),
            ("2001:db8::/64", "2001:db8::ffff:0:0:1", true), ("2001:db8::/64", "2001:db8:0:1::", false),
            ("2001:db8::/96", "2001:db8::1:0:0", false), ("::/0", "ffff::1", true),
        ])
    func networks(network: String, address: String, isInside: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(#require(IPAddress(address))) == isInside)
    }

    @Test(
        "A network needs an address and a length that fits it",
        arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "host/8"])
    func refusedNetworks(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
