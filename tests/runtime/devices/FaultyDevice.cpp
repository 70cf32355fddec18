//===- FaultyDevice.cpp - a device that fails on demand -------------------===//

#include "FaultyDevice.h"

static FaultyDevice &of(void *self) { return *static_cast<FaultyDevice *>(self); }

// Returns whether a call fails instead of being forwarded.
static bool fails(void *self) {
  FaultyDevice &device = of(self);
  int64_t call = device.calls++, failing = device.failing;
  bool fails = call == failing || (device.forGood && failing >= 0 && call > failing);
  device.words = fails ? "call " + std::to_string(call) + " fails here" : "";
  return fails;
}

void FaultyDevice::fail(int64_t call, heddle_status with, bool always) {
  failing = call;
  status = with;
  forGood = always;
  calls = 0;
}

// Forwards a call that creates an object: `pass` makes the same call on the inner device, and a created object is
// counted in `alive`. If the call is one that must fail (`fails`), returns `status` instead.
template <typename T, typename Make> static heddle_status make(void *self, T **made, Make pass) {
  if (fails(self))
    return of(self).status;
  heddle_status status = pass(of(self).inner);
  of(self).alive += status == HEDDLE_OK;
  return status;
}

// Subtracts an object from the count. Returns the object, which may be null.
template <typename T> static T *freed(void *self, T *object) {
  of(self).alive -= object != nullptr;
  return object;
}

FaultyDevice::FaultyDevice(heddle_device *inner) : table(*inner), inner(inner) {
  table.self = this;
  table.allocate = [](void *self, uint64_t size, heddle_memory **memory) {
    return make(self, memory, [&](heddle_device *d) { return d->allocate(d->self, size, memory); });
  };
  table.release = [](void *self, heddle_memory *memory) {
    of(self).inner->release(of(self).inner->self, freed(self, memory));
  };
  table.upload = [](void *self, heddle_memory *memory, uint64_t offset, const void *host, uint64_t size) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status : d->upload(d->self, memory, offset, host, size);
  };
  table.download = [](void *self, heddle_memory *memory, uint64_t offset, void *host, uint64_t size) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status : d->download(d->self, memory, offset, host, size);
  };
  table.load = [](void *self, const heddle_program *program, heddle_code **code) {
    return make(self, code, [&](heddle_device *d) { return d->load(d->self, program, code); });
  };
  table.unload = [](void *self, heddle_code *code) { of(self).inner->unload(of(self).inner->self, freed(self, code)); };
  table.record = [](void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                    const heddle_launch *launches, uint64_t launchCount, uint64_t staging, heddle_launches **recorded) {
    return make(self, recorded, [&](heddle_device *d) {
      return d->record(d->self, code, memories, memoryCount, launches, launchCount, staging, recorded);
    });
  };
  table.forget = [](void *self, heddle_launches *recorded) {
    of(self).inner->forget(of(self).inner->self, freed(self, recorded));
  };
  table.replay = [](void *self, heddle_launches *recorded, const heddle_copy *in, uint64_t inCount,
                    const heddle_copy *out, uint64_t outCount) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status : d->replay(d->self, recorded, in, inCount, out, outCount);
  };
  table.replay_with = [](void *self, heddle_launches *recorded, const heddle_binding *bindings, uint64_t bindingCount,
                         const heddle_copy *in, uint64_t inCount, const heddle_copy *out, uint64_t outCount) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status
                       : d->replay_with(d->self, recorded, bindings, bindingCount, in, inCount, out, outCount);
  };
  table.record_timed = [](void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                          const heddle_launch *launches, uint64_t launchCount, uint64_t staging,
                          heddle_launches **recorded) {
    return make(self, recorded, [&](heddle_device *d) {
      return d->record_timed(d->self, code, memories, memoryCount, launches, launchCount, staging, recorded);
    });
  };
  table.times = [](void *self, heddle_launches *recorded, double *seconds, uint64_t launchCount) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status : d->times(d->self, recorded, seconds, launchCount);
  };
  table.save_cache = [](void *self, void *data, uint64_t *size) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status : d->save_cache(d->self, data, size);
  };
  table.restore_cache = [](void *self, const void *data, uint64_t size) {
    heddle_device *d = of(self).inner;
    return fails(self) ? of(self).status : d->restore_cache(d->self, data, size);
  };
  table.error = [](void *self) {
    return of(self).words.empty() ? of(self).inner->error(of(self).inner->self) : of(self).words.c_str();
  };
  table.close = [](void *) {}; // the owner of the wrapper closes `inner`
}
