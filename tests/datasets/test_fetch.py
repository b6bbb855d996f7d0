"""No test here needs a network: a server of its own on this computer serves the files."""

import hashlib
import http.server
import threading
from dataclasses import replace

import pytest

from mlrx.datasets import DataUnavailableError, load_dataset
from mlrx.datasets import catalogue as catalogue_module
from mlrx.datasets.catalogue import CataloguedSet, DataFile
from mlrx.datasets.fetch import locate

CONTENT = b"f,L\n1,0\n2,1\n"
PATH = "toy/toy.csv"


@pytest.fixture
def server(tmp_path):
    """Serve a folder, and count the requests."""
    folder = tmp_path / "served"
    (folder / "toy").mkdir(parents=True)
    (folder / PATH).write_bytes(CONTENT)
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *arguments):
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", asked, folder
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Use an empty cache, and no folder with data."""
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.delenv("MLRX_DATA", raising=False)


def toy(address):
    file = DataFile(PATH, len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), address and f"{address}/{PATH}")
    return CataloguedSet("toy", "csv", "none", "an archive", {"all": 2}, 1, 1, {"all": file}, read={"labels": ["L"]})


def test_file_is_fetched_once_into_the_cache(server, tmp_path, monkeypatch):
    address, asked, _ = server
    entry = toy(address)
    monkeypatch.setattr(catalogue_module, "catalogue", lambda: {"toy": entry})
    data = load_dataset("toy")
    assert data.Y.tolist() == [[0], [1]]
    assert asked == [f"/{PATH}"]
    assert load_dataset("toy").X.equals(data.X)
    assert asked == [f"/{PATH}"]
    assert [path.name for path in (tmp_path / "cache" / "mlrx" / "toy").iterdir()] == ["toy.csv"]


def test_changed_file_in_the_cache_is_fetched_again(server):
    address, asked, _ = server
    entry = toy(address)
    path = locate(entry, entry.files["all"])
    path.write_bytes(b"changed")
    assert locate(entry, entry.files["all"]).read_bytes() == CONTENT
    assert len(asked) == 2


def test_wrong_checksum_of_a_fetched_file_is_an_error(server, tmp_path):
    address, _, folder = server
    (folder / PATH).write_bytes(b"changed at the source")
    entry = toy(address)
    with pytest.raises(ValueError, match=rf"data set 'toy': {address}/{PATH} gave another file: .*hash"):
        locate(entry, entry.files["all"])
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_folder_with_data_goes_before_cache_and_network(server, tmp_path, monkeypatch):
    address, asked, folder = server
    monkeypatch.setenv("MLRX_DATA", str(folder))
    entry = toy(address)
    assert locate(entry, entry.files["all"]) == folder / PATH
    assert asked == []


def test_checksum_is_enforced_in_the_folder_with_data(server, monkeypatch):
    address, _, folder = server
    (folder / PATH).write_bytes(b"changed")
    monkeypatch.setenv("MLRX_DATA", str(folder))
    entry = toy(address)
    with pytest.raises(ValueError, match=r"toy.csv: its SHA-256 is d67e\w+, but \w+ in the catalogue") as caught:
        locate(entry, entry.files["all"])
    assert entry.files["all"].sha256 in str(caught.value)


def test_file_that_the_folder_with_data_lacks_is_fetched(server, tmp_path, monkeypatch):
    address, asked, _ = server
    monkeypatch.setenv("MLRX_DATA", str(tmp_path))
    entry = toy(address)
    assert locate(entry, entry.files["all"]).read_bytes() == CONTENT
    assert asked == [f"/{PATH}"]


def test_no_network_gives_one_error_with_set_address_and_folder(server):
    address, _, folder = server
    (folder / PATH).unlink()
    entry = toy(address)
    for unreachable in (entry.files["all"], replace(entry.files["all"], address="http://127.0.0.1:9/toy.csv")):
        with pytest.raises(DataUnavailableError) as caught:
            locate(entry, unreachable)
        message = str(caught.value)
        assert message.startswith(f"data set 'toy': {PATH} is not at hand and could not be fetched from")
        assert unreachable.address in message
        assert "set MLRX_DATA to a folder that holds it (MLRX_DATA is not set)" in message


def test_file_without_address_needs_the_folder_with_data():
    entry = toy(None)
    with pytest.raises(
        DataUnavailableError, match=r"'toy': no address serves .*made from: an archive\); set MLRX_DATA"
    ):
        locate(entry, entry.files["all"])


def test_folder_with_data_must_be_one(monkeypatch):
    monkeypatch.setenv("MLRX_DATA", "no-such-folder")
    entry = toy(None)
    with pytest.raises(DataUnavailableError, match="MLRX_DATA='no-such-folder' is no folder"):
        locate(entry, entry.files["all"])
