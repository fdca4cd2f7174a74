import HTTP
import Testing

struct ContentCodingTests {
    @Test(
        "A coding is chosen by the rules of RFC 9110 §12.5.3",
        arguments: [
            ([], .identity), ([""], .identity), (["gzip"], .gzip), (["GZIP"], .gzip), (["x-gzip"], .gzip),
            (["deflate, gzip, br, zstd"], .gzip), (["br", "gzip"], .gzip), (["gzip;q=0"], .identity),
            (["gzip; q=0.000, *"], .identity), (["gzip ; q=0.5"], .gzip), (["*"], .gzip), (["*;q=0"], nil),
            (["gzip, identity;q=1, *;q=0"], .gzip), (["identity;q=1, *;q=0"], .identity),
            (["identity"], .identity),
            (["identity;q=1, gzip;q=0.5"], .identity), (["identity;q=0.5, gzip;q=1.0"], .gzip),
            (["identity;q=0"], nil), (["identity;q=0, gzip"], .gzip), (["br;q=1, *;q=0"], nil),
            (["gzip;q=0, identity;q=0"], nil),
            (["gzip;q=0.5"], .gzip), (["compress, gzip"], .gzip), (["gzipped"], .identity),
        ] as [([String], ContentCoding?)])
    func chosen(values: [String], expected: ContentCoding?) {
        #expect(ContentCoding.chosen(for: values) == expected)
    }

    @Test(
        "A malformed element is left out",
        arguments: [
            "gzip;q=2", "gzip;q=1.001", "gzip;q=0.1234", "gzip;q=", "gzip;q=-1", "gzip;q=1;x=y",
            "gzip;level=9", "gzip q=1",
            "gzip;q= 1", "gzip;q=00",
        ])
    func malformed(value: String) {
        #expect(ContentCoding.chosen(for: [value]) == .identity)
    }
}
