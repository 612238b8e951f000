// One import is enough for a game or a controller: what Roomful's own interface speaks of comes with it.
@_exported public import ControllerClient
@_exported public import Identity
@_exported public import InputMerge
@_exported public import MotionFiles
@_exported public import PeerDiscovery
@_exported public import PrivateFiles
@_exported public import RoomEngine
@_exported public import RoomRecords
@_exported public import RoomServer
@_exported public import SiteRecords
@_exported public import WireProtocol
// Of the room's inside, what events speak of: without it a game could not ask whether a player has left.
@_exported public import enum SessionCoordinator.Occurrence
