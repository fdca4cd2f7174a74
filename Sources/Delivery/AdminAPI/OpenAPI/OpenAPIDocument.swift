import HTTP
import JSON
import TimeZones

/// The description of this API (OpenAPI 3.1): the file openapi.json, with what only the running program
/// knows.
enum OpenAPIDocument {
    /// The text of the document, with the program's version and the time zones that the host knows.
    static func text(version: String) throws(JSONError) -> [UInt8] {
        let file = try JSONReader.value(of: PackageResources.openapi_json)
        let zones = JSONValue.array(NamedZone.names.map { .string($0) })
        return file.merging([
            "info": ["version": .string(version)],
            "components": ["schemas": ["TimeZone": ["enum": zones]]],
        ]).bytes
    }
}
