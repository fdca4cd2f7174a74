/// The bounds of this module.
package enum Limits {
    /// Bytes of a URL: the usual limit of servers and caches, and four times what browsers show.
    package static let urlByteCount = 8 * 1024
    /// Entity tags in one condition: a cache that revalidates many variants sends a handful.
    static let entityTagCount = 64
    /// Items of a query: four times the parameters of any of our resources.
    static let queryItemCount = 64
    /// Codings in Accept-Encoding; browsers send five.
    static let contentCodingCount = 32
    /// Parameters of a media type; real ones have one or two.
    static let mediaTypeParameterCount = 16
}
