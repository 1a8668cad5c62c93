// ByteTrack's Kalman filter, with a constant velocity of a box's centre, aspect and height.

/** Centre x, centre y, width / height, height. */
export type Measured = readonly [x: number, y: number, aspect: number, height: number];

/** A value, its velocity per frame, and their covariance. */
interface Axis {
  at: number;
  velocity: number;
  /** Variance of the value, covariance of both, variance of the velocity. */
  value: number;
  both: number;
  speed: number;
}

/**
 * All noise is independent between the four values, so the filter of 8 dimensions is four filters of 2: its
 * covariance [8, 8] has only these four blocks.
 */
export type Motion = readonly [Axis, Axis, Axis, Axis];

/** Standard deviations, relative to the height. */
const POSITION = 1 / 20;
const VELOCITY = 1 / 160;
/** The standard deviations of the aspect do not depend on the height. */
const ASPECT = 2;

export function startMotion(measured: Measured): Motion {
  const height = measured[3];
  return eachAxis((axis) => ({
    at: measured[axis],
    velocity: 0,
    value: (axis === ASPECT ? 1e-2 : 2 * POSITION * height) ** 2,
    both: 0,
    speed: (axis === ASPECT ? 1e-5 : 10 * VELOCITY * height) ** 2,
  }));
}

/** Returns the motion one frame later. A `lost` box keeps its height. */
export function predictMotion(motion: Motion, lost: boolean): Motion {
  const height = motion[3].at;
  return eachAxis((axis) => {
    const { at, velocity: known, value, both, speed } = motion[axis];
    const velocity = lost && axis === 3 ? 0 : known;
    return {
      at: at + velocity,
      velocity,
      value: value + 2 * both + speed + (axis === ASPECT ? 1e-2 : POSITION * height) ** 2,
      both: both + speed,
      speed: speed + (axis === ASPECT ? 1e-5 : VELOCITY * height) ** 2,
    };
  });
}

/** Returns the motion after a measurement of the box. */
export function correctMotion(motion: Motion, measured: Measured): Motion {
  const height = motion[3].at;
  return eachAxis((axis) => {
    const { at, velocity, value, both, speed } = motion[axis];
    const spread = value + (axis === ASPECT ? 1e-1 : POSITION * height) ** 2;
    const off = measured[axis] - at;
    return {
      at: at + (value / spread) * off,
      velocity: velocity + (both / spread) * off,
      value: value - (value * value) / spread,
      both: both - (value * both) / spread,
      speed: speed - (both * both) / spread,
    };
  });
}

function eachAxis(make: (axis: 0 | 1 | 2 | 3) => Axis): Motion {
  return [make(0), make(1), make(2), make(3)];
}
