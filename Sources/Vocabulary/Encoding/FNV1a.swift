/// FNV-1a, a hash that is the same in every process, which Swift's own is not.
package enum FNV1a {
    /// The hash of bytes, 32 bits.
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
