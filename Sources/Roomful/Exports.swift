// One import is enough for a game or a controller: what Roomful's own interface speaks of comes with it.
@_exported public import InputMerge
@_exported public import RoomEngine
@_exported public import WireProtocol
